/// A remote device, in whichever role.
// @unchecked: programs use peers on any thread. What changes, in the subclasses only, is behind a lock.
open class CBPeer: NSObject, NSCopying, @unchecked Swift.Sendable {
    /// Identifies the device. Stable: it stays the same across connections, launches and, on Linux, machines, and can
    /// be stored for ``CBCentralManager/retrievePeripherals(withIdentifiers:)``.
    open var identifier: UUID { storedIdentifier }

    private let storedIdentifier: UUID

    init(identifier: UUID) {
        storedIdentifier = identifier
        super.init()
    }

    /// Returns the same object: a peer represents one device.
    @discardableResult
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Linux additions. BlueZ reveals device addresses, which Apple's systems hide.
extension CBPeer {
    /// The device's address as `"AA:BB:CC:DD:EE:FF"`, decoded from ``identifier``.
    public var bluetoothAddress: String? { Self.bluetoothAddress(forIdentifier: identifier) }

    /// The address of the device with an identifier; nil if the identifier was not made by this module.
    public static func bluetoothAddress(forIdentifier identifier: UUID) -> String? {
        PeerIdentifier(identifier)?.addressText
    }

    /// Whether ``bluetoothAddress`` is a random address, static or private, rather than a public one.
    public var bluetoothAddressIsRandom: Bool { PeerIdentifier(identifier)?.isRandom ?? false }

    /// The identifier of the device with an address, the same on every machine.
    ///
    /// - Parameters:
    ///   - address: as `"AA:BB:CC:DD:EE:FF"`, in any letter case.
    ///   - isRandom: whether the address is a random one rather than a public one.
    /// - Returns: nil if `address` is not an address.
    public static func identifier(forBluetoothAddress address: String, isRandom: Bool) -> UUID? {
        PeerIdentifier(addressText: address, isRandom: isRandom)?.uuid
    }
}
