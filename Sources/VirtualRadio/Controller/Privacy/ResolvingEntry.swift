import CryptographicToolbox

/// A device of the resolving list, and the addresses that are used with it. (Core Specification, Vol 6 Part B, 4.7)
final class ResolvingEntry {
    /// The device's identity address.
    let identity: DeviceAddress
    /// Device privacy mode: the device may also use its identity address. Network privacy mode, the default, ignores a
    /// device that has a key and does not use it.
    var acceptsIdentity = false

    private var peer: Alias
    private var local: Alias

    init(_ identity: DeviceAddress, peerKey: IdentityResolvingKey, localKey: IdentityResolvingKey) {
        self.identity = identity
        peer = Alias(key: peerKey)
        local = Alias(key: localKey)
    }

    var peerKey: IdentityResolvingKey { peer.key }
    var localKey: IdentityResolvingKey { local.key }
    /// Which resolvable address the device has used last, or which it is called by in directed advertising.
    var peerAddress: DeviceAddress? { peer.address }
    /// By which resolvable address this controller is known to the device.
    var localAddress: DeviceAddress? { local.address }

    /// Whether the device has made that address with its key.
    func resolves(_ address: DeviceAddress) -> Bool {
        guard peer.resolves(address) else { return false }
        peer.address = address
        return true
    }

    /// Whether this controller has made that address for the device.
    func isLocal(_ address: DeviceAddress) -> Bool { local.resolves(address) }

    /// The address by which the device is to know this controller now, if there is a key for it.
    func localAddress(_ controller: Controller) -> DeviceAddress? { local.present(controller) }

    /// The address by which the device is called, if there is a key for it.
    func peerAddress(_ controller: Controller) -> DeviceAddress? { peer.present(controller) }
}

/// The resolvable addresses that one key makes, one after another.
private struct Alias {
    let key: IdentityResolvingKey
    /// The last one.
    var address: DeviceAddress?
    private var renewal: Instant = 0

    init(key: IdentityResolvingKey) {
        self.key = key
    }

    func resolves(_ other: DeviceAddress) -> Bool {
        other == address || !key.isZero && key.resolves(other)
    }

    /// The one that is used now, if there is a key.
    mutating func present(_ controller: Controller) -> DeviceAddress? {
        guard !key.isZero else { return nil }
        let now = controller.radio.now
        if let address, now < renewal { return address }
        address = key.makeAddress(&controller.random)
        renewal = now + controller.resolvableAddressTimeout
        return address
    }
}
