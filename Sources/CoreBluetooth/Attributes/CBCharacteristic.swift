/// A value of a service, a remote one's or our own.
open class CBCharacteristic: CBAttribute, @unchecked Swift.Sendable {
    /// The service to which the characteristic belongs.
    open internal(set) weak var service: CBService?

    /// What can be done with the characteristic.
    open internal(set) var properties: CBCharacteristicProperties

    /// The value last read, notified or indicated; nil before. A write does not change it.
    open internal(set) var value: Data?

    /// The descriptors; nil until discovered.
    open internal(set) var descriptors: [CBDescriptor]?

    /// Whether notifications or indications are on.
    open internal(set) var isNotifying = false

    /// Always false: broadcasts are not supported.
    @available(*, deprecated)
    open var isBroadcasted: Bool { false }

    init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil, service: CBService? = nil) {
        self.properties = properties
        self.value = value
        self.service = service
        super.init(uuid: uuid)
    }

    open override var description: String {
        let bytes = value.map { "\($0.count) bytes" } ?? "none"
        return """
            <\(type(of: self)): UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16)), \
            value = \(bytes), notifying = \(isNotifying)>
            """
    }
}
