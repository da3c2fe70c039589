import CryptographicToolbox

/// The address of a device as a packet has it, and the device that it belongs to if it was resolved.
struct ResolvedAddress {
    /// As it was sent.
    let sent: DeviceAddress
    /// Whose resolvable address it is.
    let entry: ResolvingEntry?

    init(_ sent: DeviceAddress, _ entry: ResolvingEntry? = nil) {
        self.sent = sent
        self.entry = entry
    }

    /// By which hosts know the device.
    var identity: DeviceAddress { entry?.identity ?? sent }
    /// As events have it: 2 and 3 are identity addresses of resolved ones.
    var type: UInt8 { identity.type + (entry == nil ? 0 : 2) }
}

extension PacketWriter {
    /// An address after its type, which says whether it was resolved.
    func addTyped(_ address: ResolvedAddress) {
        add(address.type)
        add(address.identity)
    }
}

/// Which address a host wants a controller to use: Own_Address_Type. (Core Specification, Vol 4 Part E, 7.8.5, 7.8.10,
/// 7.8.12)
struct OwnAddressType {
    let rawValue: UInt8

    static let publicAddress = OwnAddressType(0)

    /// The lowest two bits of a parameter.
    init(_ rawValue: UInt8) {
        self.rawValue = rawValue & 3
    }

    /// Whether it is a resolvable one for devices with which a key is shared.
    var isResolvable: Bool { rawValue & 2 != 0 }
    /// Whether it is the random one otherwise.
    var isRandom: Bool { rawValue & 1 != 0 }
}

/// Resolvable private addresses. (Core Specification, Vol 6 Part B, 6)
extension Controller {
    /// Until the host sets another. (Vol 4 Part E, 7.8.45)
    static let defaultResolvableAddressTimeout = 900 * Span.second

    func resolvingEntry(_ identity: DeviceAddress) -> ResolvingEntry? {
        resolvingList.first { $0.identity == identity }
    }

    /// Finds out whose address the one of a packet is.
    ///
    /// - Returns: `nil` if the packet is to be ignored: the device has a key and does not use it.
    func resolve(_ address: DeviceAddress) -> ResolvedAddress? {
        guard resolvesAddresses, !resolvingList.isEmpty else { return ResolvedAddress(address) }
        if address.isResolvable {
            return ResolvedAddress(address, resolvingList.first { $0.resolves(address) })
        }
        guard let entry = resolvingEntry(address), !entry.peerKey.isZero, !entry.acceptsIdentity else {
            return ResolvedAddress(address)
        }
        return nil
    }

    /// The address that this controller uses for a device.
    ///
    /// - Parameters:
    ///   - random: what the host has set for the purpose.
    ///   - peer: the identity address of the device, if it is known.
    /// - Returns: `nil` if the host has set no random address and one is needed.
    func ownAddress(_ type: OwnAddressType, random: DeviceAddress?, for peer: DeviceAddress?) -> DeviceAddress? {
        if type.isResolvable, let entry = peer.flatMap(resolvingEntry),
            let address = entry.localAddress(self)
        {
            return address
        }
        return type.isRandom ? random : address
    }

    /// Whether a directed advertisement of a device is for this controller when it uses that type of address.
    ///
    /// One that uses resolvable addresses with the device is not called by another, except in device privacy mode.
    func isTarget(_ target: DeviceAddress, of sender: ResolvedAddress, _ type: OwnAddressType) -> Bool {
        guard let entry = resolvingEntry(sender.identity), !entry.localKey.isZero else { return isOwn(target) }
        if target.isResolvable, resolvesAddresses, entry.isLocal(target) { return true }
        return isOwn(target) && (!type.isResolvable || entry.acceptsIdentity)
    }
}
