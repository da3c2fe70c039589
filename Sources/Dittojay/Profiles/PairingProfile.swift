public import CoreBluetooth

/// How a virtual peripheral pairs.
public struct PairingProfile: Hashable, Swift.Sendable {
    /// What its user can do: the program that runs it, or a person at its terminal or page.
    public var capability: CBPairingCapability
    /// The digits that it enters by itself; nil asks. The digits that are shown are always chosen by the kernel.
    public var passkey: CBPasskey?

    public init(_ capability: CBPairingCapability, passkey: CBPasskey? = nil) {
        self.capability = capability
        self.passkey = passkey
    }
}

extension CBPairingCapability {
    /// Whether digits can be entered.
    package var canEnter: Bool { self == .keyboard || self == .keyboardDisplay }
    /// Whether pairing can be more than "Just Works".
    package var canAuthenticate: Bool { self != .none }
}
