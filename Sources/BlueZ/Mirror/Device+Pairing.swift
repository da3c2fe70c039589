import MainLoop

extension Device {
    /// Pairs, with the help of this program's agent. Connects first if need be. Does nothing if the device is paired.
    ///
    /// - Throws: ``PairingFailure``.
    package func pair() async throws(PairingFailure) {
        var attempt = PairingAttempt(at: .now)
        let observation = session?.observe { [weak self] event in
            if case .pairing(let device, let step) = event, device === self { attempt.note(step, at: .now) }
        }
        defer { observation?.cancel() }
        do {
            await session?.sharedAgent.waitUntilRegistered()
            try await callPair()
        } catch BlueZError.alreadyExists {
        } catch {
            throw attempt.failure(error as? BlueZError ?? .failed(name: "", message: "\(error)"), at: .now)
        }
    }

    /// Gives up pairing that is under way.
    package func cancelPairing() async throws { try await call(Device1.cancelPairing) }
}
