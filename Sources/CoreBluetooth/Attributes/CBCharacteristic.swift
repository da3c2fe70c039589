/// A value of a service, a remote one's or our own.
open class CBCharacteristic: CBAttribute, @unchecked Swift.Sendable {
    /// The service to which the characteristic belongs.
    open internal(set) var service: CBService? {
        get { stored.withLock { $0.service } }
        set { stored.withLock { $0.service = newValue } }
    }

    /// What can be done with the characteristic.
    open internal(set) var properties: CBCharacteristicProperties {
        get { stored.withLock { $0.properties } }
        set { stored.withLock { $0.properties = newValue } }
    }

    /// The value last read, notified or indicated; nil before. A write does not change it.
    open internal(set) var value: Data? {
        get { stored.withLock { $0.value } }
        set { stored.store(newValue) { swap(&$0.value, &$1) } }
    }

    /// Whether ``value`` was notified or indicated, rather than read; for the time of the delegate's call.
    package internal(set) var isValueNotified: Bool {
        get { stored.withLock { $0.isValueNotified } }
        set { stored.withLock { $0.isValueNotified = newValue } }
    }

    /// The descriptors; nil until discovered.
    open internal(set) var descriptors: [CBDescriptor]? {
        get { stored.withLock { $0.descriptors } }
        set { stored.store(newValue) { swap(&$0.descriptors, &$1) } }
    }

    /// Whether notifications or indications are on.
    open internal(set) var isNotifying: Bool {
        get { stored.withLock { $0.isNotifying } }
        set { stored.withLock { $0.isNotifying = newValue } }
    }

    /// What was lost since notifications were turned on; a Linux addition.
    open internal(set) var notificationLoss: CBNotificationLoss {
        get { stored.withLock { $0.notificationLoss } }
        set { stored.withLock { $0.notificationLoss = newValue } }
    }

    /// Always false: broadcasts are not supported.
    @available(*, deprecated)
    open var isBroadcasted: Bool { false }

    private struct Stored {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var isValueNotified = false
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        var notificationLoss = CBNotificationLoss()
    }

    private let stored: Locked<Stored>

    init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil, service: CBService? = nil) {
        stored = Locked(Stored(service: service, properties: properties, value: value))
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
