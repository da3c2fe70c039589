import CryptographicToolbox

/// The packets that say whose resolvable private addresses are.
extension ResolvingList {
    /// The parameters of LE Add Device To Resolving List: the other device's identity address and key, and the
    /// controller's own key. Specification: Core 5.4, Vol 4, Part E, 7.8.38.
    ///
    /// - Parameter own: the controller's identity address, if it is known.
    mutating func receive(addDevice parameters: ArraySlice<UInt8>, own: DeviceAddress?, at mark: PacketMark) {
        var cursor = ByteCursor(parameters)
        guard let identity = cursor.typedAddress(), let key = cursor.key(), let ownKey = cursor.key() else { return }
        add(key, of: identity, .controller, mark)
        if let own { add(ownKey, of: own, .controller, mark) }
    }

    /// A command or an event of Linux's management interface, from its code on. Specification: BlueZ,
    /// doc/mgmt-api.txt, Load Identity Resolving Keys and New Identity Resolving Key.
    mutating func receive(management bytes: ArraySlice<UInt8>, isEvent: Bool, at mark: PacketMark) {
        var cursor = ByteCursor(bytes)
        switch (cursor.u16(), isEvent) {
        case (0x0030, false):
            guard let count = cursor.u16() else { return }
            for _ in 0..<count {
                guard let (identity, key) = cursor.managedKey() else { return }
                add(key, of: identity, .loadedKeys, mark)
            }
        case (0x0018, true):
            guard cursor.skip(1), let address = cursor.bytes(6), let (identity, key) = cursor.managedKey() else {
                return
            }
            add(key, of: identity, .newKey, mark)
            add(DeviceAddress(address, isRandom: true), of: identity, .newKey, mark)
        default: break
        }
    }
}

/// What one side of a link distributes when it pairs: its key, and then its identity address. Specification: Core 5.4,
/// Vol 3, Part H, 3.6.4 and 3.6.5.
struct IdentityDistribution {
    private var key: (IdentityResolvingKey, PacketMark)?

    /// Takes a PDU of the Security Manager that this side has sent.
    mutating func receive(_ payload: ArraySlice<UInt8>, _ list: inout ResolvingList, at mark: PacketMark) {
        var cursor = ByteCursor(payload)
        switch cursor.u8() {
        case 0x08: key = cursor.key().map { ($0, mark) }
        case 0x09:
            guard let identity = cursor.typedAddress(), let (key, mark) = key else { return }
            list.add(key, of: identity, .pairing, mark)
            self.key = nil
        default: break
        }
    }
}

extension ByteCursor {
    /// An address behind its type: 0 is public, 1 random; 2 and 3 are the same for addresses that a controller has
    /// resolved.
    mutating func typedAddress() -> DeviceAddress? {
        guard let type = u8(), type <= 3, let address = bytes(6) else { return nil }
        return DeviceAddress(address, isRandom: type & 1 == 1)
    }

    fileprivate mutating func key() -> IdentityResolvingKey? { bytes(16).map { IdentityResolvingKey(Array($0)) } }

    /// An address, its type (1 is public, 2 is random) and its key.
    fileprivate mutating func managedKey() -> (DeviceAddress, IdentityResolvingKey)? {
        guard let address = bytes(6), let type = u8(), let key = key() else { return nil }
        return (DeviceAddress(address, isRandom: type == 2), key)
    }
}
