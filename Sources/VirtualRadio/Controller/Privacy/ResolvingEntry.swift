/// A device of the resolving list, and the addresses that are used with it. (Core Specification, Vol 6 Part B, 4.7)
final class ResolvingEntry {
    /// The device's identity address.
    let identity: DeviceAddress
    let peerKey: IdentityKey
    let localKey: IdentityKey
    /// Device privacy mode: the device may also use its identity address. Network privacy mode, the default, ignores a
    /// device that has a key and does not use it.
    var acceptsIdentity = false

    /// Which resolvable address the device has used last, or which it is called by in directed advertising.
    private(set) var peerAddress: DeviceAddress?
    private var peerRenewal: Instant = 0
    /// By which resolvable address this controller is known to the device.
    private(set) var localAddress: DeviceAddress?
    private var localRenewal: Instant = 0

    init(_ identity: DeviceAddress, peerKey: IdentityKey, localKey: IdentityKey) {
        self.identity = identity
        self.peerKey = peerKey
        self.localKey = localKey
    }

    /// Whether the device has made that address with its key.
    func resolves(_ address: DeviceAddress) -> Bool {
        if address == peerAddress { return true }
        guard !peerKey.isZero, peerKey.hasMade(address) else { return false }
        peerAddress = address
        return true
    }

    /// Whether this controller has made that address for the device.
    func isLocal(_ address: DeviceAddress) -> Bool {
        address == localAddress || !localKey.isZero && localKey.hasMade(address)
    }

    /// The address by which the device is to know this controller now, if there is a key for it.
    func localAddress(_ radio: Radio, timeout: Int) -> DeviceAddress? {
        guard !localKey.isZero else { return nil }
        if let localAddress, radio.now < localRenewal { return localAddress }
        localAddress = localKey.makeAddress(&radio.random)
        localRenewal = radio.now + timeout
        return localAddress
    }

    /// The address by which the device is called, if there is a key for it.
    func peerAddress(_ radio: Radio, timeout: Int) -> DeviceAddress? {
        guard !peerKey.isZero else { return nil }
        if let peerAddress, radio.now < peerRenewal { return peerAddress }
        peerAddress = peerKey.makeAddress(&radio.random)
        peerRenewal = radio.now + timeout
        return peerAddress
    }
}
