import CoreBluetooth

/// What centrals that pair want of the peripheral's user, and the answers. Used on the peripheral's queue only.
///
/// bluetoothd asks a program one question at a time.
final class PairingConversation: CBPairingDelegate {
    private let profile: PairingProfile?
    private let events: EventOutput
    private var request: CBPairingRequest?

    /// Shows what is wanted somewhere besides the events; what it returns takes that away.
    var onPrompt: ((PairingPrompt) -> () -> Void)?
    /// Take away what is shown, by the address of the central that it is for.
    private var withdrawals: [String: () -> Void] = [:]

    /// - Parameter profile: nil for a peripheral whose pairing is "Just Works".
    init(_ profile: PairingProfile?, events: EventOutput) {
        self.profile = profile
        self.events = events
    }

    /// For the manager whose centrals it answers.
    var choice: (delegate: any CBPairingDelegate, capability: CBPairingCapability)? {
        profile.map { (self, $0.capability) }
    }

    // MARK: Questions

    func manager(_ manager: CBManager, didReceive request: CBPairingRequest) {
        switch request.kind {
        case .displayPasskey(let passkey):
            report(.passkeyDisplayed, request, passkey, "enter it on the central")
        case .enterPasskey:
            if let passkey = profile?.passkey { return request.enter(passkey) }
            self.request = request
            report(.passkeyRequested, request, nil, "enter the central's passkey with \"passkey 123456\"")
        case .comparePasskeys(let passkey):
            self.request = request
            report(
                .comparisonRequested, request, passkey,
                "\"confirm yes\" if the central shows the same, or \"confirm no\"")
        }
    }

    func manager(_ manager: CBManager, didCancel request: CBPairingRequest) {
        if self.request === request { self.request = nil }
        ended(with: Self.address(of: request))
    }

    /// Pairing with a central has ended, or its link has.
    func ended(with central: String) { withdrawals.removeValue(forKey: central)?() }

    /// Nothing is shown any longer.
    func stop() {
        let last = withdrawals.values
        withdrawals = [:]
        for withdraw in last { withdraw() }
    }

    private static func address(of request: CBPairingRequest) -> String {
        request.peer.bluetoothAddress ?? request.peer.identifier.uuidString
    }

    private func report(
        _ kind: PeripheralEvent.Kind, _ request: CBPairingRequest, _ passkey: CBPasskey?, _ message: String
    ) {
        let central = Self.address(of: request)
        events.report(kind) { event in
            event.central = .init(address: central)
            event.passkey = passkey?.description
            event.message = message
        }
        guard let onPrompt else { return }
        ended(with: central)
        let prompt = PairingPrompt(kind: request.kind, central: central, peripheral: events.peripheral) {
            [weak self] isSame in
            // Another one may be asked about meanwhile.
            if let self, self.request === request { _ = confirm(isSame) }
        }
        withdrawals[central] = onPrompt(prompt)
    }

    // MARK: Answers

    /// Enters what the central shows.
    func enter(_ passkey: CBPasskey) -> ControlReply {
        guard let request, request.kind == .enterPasskey else {
            return ControlReply(error: "no central is waiting for a passkey")
        }
        answered(request)
        request.enter(passkey)
        return ControlReply()
    }

    /// Says whether the central shows the same digits.
    func confirm(_ isSame: Bool) -> ControlReply {
        guard let request, isSame ? request.kind != .enterPasskey : true else {
            return ControlReply(error: "no central is waiting for a comparison")
        }
        answered(request)
        if isSame { request.confirm() } else { request.reject() }
        return ControlReply()
    }

    private func answered(_ request: CBPairingRequest) {
        self.request = nil
        ended(with: Self.address(of: request))
    }
}
