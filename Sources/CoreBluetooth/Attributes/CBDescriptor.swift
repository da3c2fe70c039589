/// Something more about a characteristic.
open class CBDescriptor: CBAttribute, @unchecked Swift.Sendable {
    /// The characteristic that it describes.
    open internal(set) weak var characteristic: CBCharacteristic?

    /// The value last read; nil before. Its type depends on the UUID: `NSNumber` for extended properties (2900), client
    /// (2902) and server configuration (2903), `String` for the user description (2901), `Data` for all others.
    open internal(set) var value: Any?

    init(uuid: CBUUID, value: Any? = nil, characteristic: CBCharacteristic? = nil) {
        self.value = value
        self.characteristic = characteristic
        super.init(uuid: uuid)
    }

    open override var description: String {
        "<\(type(of: self)): UUID = \(uuid), value = \(value.map { "\($0)" } ?? "none")>"
    }
}
