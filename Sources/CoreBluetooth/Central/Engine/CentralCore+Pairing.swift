import BlueZ
import MainLoop

extension CentralCore {
    /// Who answers while peers pair; nil for nobody.
    func setPairing(_ settings: PairingSettings?) {
        // First: the agent is registered again when the former one has been withdrawn.
        let former = pairing
        pairing = settings.map { settings in
            let responder = PairingResponder(
                settings,
                peer: { [weak self] device in
                    guard let self, let identifier = knownIdentifier(of: device) else { return nil }
                    return registry.peripheral(identifier, of: manager)
                },
                deliver: { [weak self] event in self?.post { event($0) } })
            return session.sharedAgent.add(responder)
        }
        former?.cancel()
    }

    /// - Returns: why the peripheral could not be paired; nil if it was.
    func pair(_ peripheral: CBPeripheral) async -> CBPairingError? {
        guard let peer = PeerIdentifier(peripheral.identifier), let device = device(peer) else {
            return .unknownPeripheral
        }
        session.registerAgent()
        let wasConnected = device.isConnected
        var failure: CBPairingError?
        do throws(PairingFailure) {
            try await device.pair()
        } catch {
            failure = CBPairingError(error)
        }
        if !wasConnected, device.isConnected, link(of: peripheral) == nil { await drop(device) }
        return failure
    }

    /// How long bluetoothd may take to end a link: 2 to 3 s (5.66).
    private static let endTime: Duration = .seconds(4)

    /// Ends a link that nobody else uses. A link that is about to end would be taken for a new one by a program that
    /// connects next.
    ///
    /// bluetoothd may not answer (5.66), so the end is waited for.
    private func drop(_ device: Device) async {
        let end = FirstOutcome<Void>()
        let observation = session.observe { event in
            switch event {
            case .deviceChanged(let other, _) where other === device && !other.isConnected: end.report()
            case .deviceRemoved(let other) where other === device: end.report()
            default: break
            }
        }
        Task { try? await device.disconnect() }
        await end.wait(within: Self.endTime)
        observation.cancel()
    }
}
