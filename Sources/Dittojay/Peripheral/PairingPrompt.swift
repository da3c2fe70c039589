package import CoreBluetooth

/// What a central that pairs wants of the peripheral's user, for a program that shows it somewhere besides the events.
/// Used on the peripheral's queue only.
package struct PairingPrompt {
    /// What the user is to do.
    package let kind: CBPairingRequest.Kind
    /// The central's address.
    package let central: String
    /// What requests name the peripheral by if it is one of several.
    package let peripheral: String?
    /// Says whether the central shows the same digits. Does nothing if that was said already, or is not wanted any
    /// more.
    package let confirm: (_ isSame: Bool) -> Void
}
