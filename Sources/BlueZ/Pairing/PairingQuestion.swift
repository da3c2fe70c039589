package import MainLoop

/// A question of bluetoothd's to this program's user while a device pairs.
///
/// It is open until it is answered or taken back. The Security Manager Protocol gives the user 30 s.
@LoopActor
package final class PairingQuestion {
    package enum Kind: Hashable, Swift.Sendable {
        /// The six digits that the device shows are to be entered.
        case passkey
        /// Does the device show these six digits, too?
        case comparison(UInt32)
        /// A PIN, which only devices with BR/EDR want.
        case pinCode

        /// What the device wants, for messages.
        package var text: String {
            switch self {
            case .passkey: "a passkey"
            case .comparison: "a number confirmed"
            case .pinCode: "a PIN"
            }
        }
    }

    enum Answer {
        case passkey(UInt32)
        case yes
        case no
    }

    package let kind: Kind
    /// Called when bluetoothd takes the question back.
    package var onCancel: (@LoopActor () -> Void)?

    private var reply: (@LoopActor (Answer) -> Void)?

    init(_ kind: Kind, reply: @escaping @LoopActor (Answer) -> Void) {
        self.kind = kind
        self.reply = reply
    }

    package var isOpen: Bool { reply != nil }

    /// The digits that the device shows, from 0 to 999,999. Does nothing if something else was asked.
    package func enter(_ passkey: UInt32) {
        if kind == .passkey, passkey <= 999_999 { give(.passkey(passkey)) }
    }

    /// The device shows the same. Does nothing if something else was asked.
    package func confirm() {
        if case .comparison = kind { give(.yes) }
    }

    package func refuse() { give(.no) }

    func cancel() {
        guard reply != nil else { return }
        reply = nil
        onCancel?()
    }

    private func give(_ answer: Answer) {
        let reply = reply
        self.reply = nil
        reply?(answer)
    }
}
