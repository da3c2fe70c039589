/// The kinds of device addresses (Core Specification, Vol 6, Part B, 1.3).
package enum AddressKind: String, Swift.Sendable {
    /// Given by the IEEE, and fixed.
    case fixed = "public"
    /// Made by the device, and fixed at least until it is switched off.
    case randomStatic = "random-static"
    /// Changes every few minutes. Those that are paired with the device recognize it by its key.
    case resolvablePrivate = "resolvable-private"
    /// Changes, and nobody recognizes the device.
    case nonResolvablePrivate = "non-resolvable-private"

    /// The kind of the address that an identifier has; nil for an identifier that was not made by this module.
    package init?(_ identifier: UUID) {
        guard let peer = PeerIdentifier(identifier) else { return nil }
        guard peer.isRandom else {
            self = .fixed
            return
        }
        // The two most significant bits.
        switch peer.address >> 46 {
        case 0b11: self = .randomStatic
        case 0b01: self = .resolvablePrivate
        default: self = .nonResolvablePrivate
        }
    }

    /// Whether the device has another address after a while.
    package var changes: Bool { self == .resolvablePrivate || self == .nonResolvablePrivate }
}
