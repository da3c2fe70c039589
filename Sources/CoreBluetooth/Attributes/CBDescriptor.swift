/// Something more about a characteristic.
open class CBDescriptor: CBAttribute, @unchecked Swift.Sendable {
    /// The characteristic that it describes.
    open internal(set) var characteristic: CBCharacteristic? {
        get { stored.withLock { $0.characteristic } }
        set { stored.withLock { $0.characteristic = newValue } }
    }

    /// The value last read; nil before. Its type depends on the UUID: `NSNumber` for extended properties (2900), client
    /// (2902) and server configuration (2903), `String` for the user description (2901), `Data` for all others.
    open internal(set) var value: Any? {
        get { stored.withLock { $0.value } }
        set { stored.store(newValue) { swap(&$0.value, &$1) } }
    }

    private struct Stored {
        weak var characteristic: CBCharacteristic?
        var value: Any?
    }

    private let stored: Locked<Stored>

    /// The bytes of the value last read from a remote device.
    package internal(set) var bytes: Data?

    init(uuid: CBUUID, value: Any? = nil, characteristic: CBCharacteristic? = nil) {
        stored = Locked(Stored(characteristic: characteristic, value: value))
        super.init(uuid: uuid)
    }

    open override var description: String {
        "<\(type(of: self)): UUID = \(uuid), value = \(value.map { "\($0)" } ?? "none")>"
    }
}
