extension Bluejay {
    /// What the program answers while a peripheral pairs.
    public enum PairingAnswer: Hashable, Swift.Sendable {
        /// The digits that the peripheral shows.
        case passkey(CBPasskey)
        /// The peripheral shows the same digits; or digits that are to be entered there are shown.
        case yes
        /// The devices are not to pair.
        case no
    }

    /// Pairs with a peripheral, which is connected to first if need be. A Linux addition.
    ///
    /// Meanwhile `answer` answers what pairing with the central manager's peripherals wants of the user. If the task is
    /// cancelled, an open question is answered with no.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: a peripheral that was discovered. Nothing happens if it is paired already.
    ///   - capability: what the user can do, which decides with the peripheral's capability how they pair.
    ///   - isolation: leave this out. The call runs where its caller runs.
    ///   - answer: called with what is to be shown, entered or compared. The answer is wanted within 30 seconds. It is
    ///     not used for digits that are only to be shown.
    /// - Throws: `CBPairingError`, ``BluejayNotStartedError``, `CancellationError`.
    public func pair(
        _ peripheralIdentifier: PeripheralIdentifier, capability: CBPairingCapability = .keyboardDisplay,
        isolation: isolated (any Actor)? = #isolation,
        answer: @escaping @Sendable (CBPairingRequest.Kind) async -> PairingAnswer
    ) async throws {
        try await awaitCall { (call: AwaitedCall<Void>) in
            guard let central = self.central else { return call.finish(.failure(BluejayNotStartedError())) }
            let found = central.retrievePeripherals(withIdentifiers: [peripheralIdentifier.uuid]).first
            guard let found else { return call.finish(.failure(CBPairingError.unknownPeripheral)) }
            let conversation = PairingConversation(answer)
            // Called on the main queue, where this is.
            nonisolated(unsafe) let restore = central.setPairingDelegate(conversation, forOnePairingWith: capability)
            call.onCancel = { conversation.cancel() }
            central.pair(found) { error in
                conversation.cancel()
                restore()
                call.finish(error.map { .failure($0) } ?? .success(()))
            }
        }
    }
}

/// Asks the program, one task for each question.
// @unchecked: used on the main queue only.
private final class PairingConversation: CBPairingDelegate, @unchecked Swift.Sendable {
    private let answer: @Sendable (CBPairingRequest.Kind) async -> Bluejay.PairingAnswer
    private var open: (request: CBPairingRequest, task: Task<Void, Never>)?

    init(_ answer: @escaping @Sendable (CBPairingRequest.Kind) async -> Bluejay.PairingAnswer) {
        self.answer = answer
    }

    func manager(_ manager: CBManager, didReceive request: CBPairingRequest) {
        cancel()
        let task = Task { [answer] in
            // What it answers to the others does not matter: a request takes only what it asks for.
            switch await answer(request.kind) {
            case .passkey(let passkey): request.enter(passkey)
            case .yes: request.confirm()
            case .no: request.reject()
            }
        }
        open = (request, task)
    }

    func manager(_ manager: CBManager, didCancel request: CBPairingRequest) { cancel() }

    func cancel() {
        open?.request.reject()
        open?.task.cancel()
        open = nil
    }
}
