/// How the program's user can help with pairing, in BlueZ's words.
///
/// Specification: Bluetooth Core, Vol 3, Part H, 2.3.2.
package enum PairingCapability: String, Swift.Sendable {
    case noInputNoOutput = "NoInputNoOutput"
    case displayOnly = "DisplayOnly"
    case displayYesNo = "DisplayYesNo"
    case keyboardOnly = "KeyboardOnly"
    case keyboardDisplay = "KeyboardDisplay"
}
