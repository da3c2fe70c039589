/// The attributes of a phantom's server, by their handles, which begin with 1.
struct AttributeTable {
    struct Attribute {
        let type: AttributeType
        var value: [UInt8]
        var canRead = true
        var canWrite = false
        /// Of a characteristic's value: how often it is sent.
        var interval: Int?
        /// Of a Client Characteristic Configuration: the handle of the value.
        var configured: Int?
        /// Of a service's declaration: the last handle of the service.
        var groupEnd = 0
        /// The type of the characteristic's value, for its value and its configuration.
        var owner: AttributeType?
    }

    static let primaryService = AttributeType(0x2800)
    private static let characteristic = AttributeType(0x2803)
    private static let configuration = AttributeType(0x2902)

    private(set) var attributes: [Attribute] = []

    init(_ peripheral: PhantomPeripheral) {
        let access = PhantomPeripheral.Service(
            uuid: AttributeType(0x1800),
            characteristics: [
                .init(uuid: AttributeType(0x2A00), properties: .read, value: Array(peripheral.name.utf8)),
                .init(uuid: AttributeType(0x2A01), properties: .read, value: [0, 0]),
            ])
        for service in [access] + peripheral.services { add(service) }
    }

    private mutating func add(_ service: PhantomPeripheral.Service) {
        let declaration = attributes.count
        attributes.append(Attribute(type: Self.primaryService, value: service.uuid.bytes))
        for characteristic in service.characteristics {
            let properties = characteristic.properties
            let handle = attributes.count + 2
            let content = [properties.rawValue] + [UInt8](number: handle) + characteristic.uuid.bytes
            attributes.append(Attribute(type: Self.characteristic, value: content))
            attributes.append(
                Attribute(
                    type: characteristic.uuid, value: characteristic.value, canRead: properties.contains(.read),
                    canWrite: !properties.isDisjoint(with: [.write, .writeWithoutResponse]),
                    interval: characteristic.interval, owner: characteristic.uuid))
            guard !properties.isDisjoint(with: [.notify, .indicate]) else { continue }
            attributes.append(
                Attribute(
                    type: Self.configuration, value: [0, 0], canWrite: true, configured: handle,
                    owner: characteristic.uuid))
        }
        attributes[declaration].groupEnd = attributes.count
    }

    subscript(handle: Int) -> Attribute? {
        attributes.indices.contains(handle - 1) ? attributes[handle - 1] : nil
    }

    mutating func write(_ value: [UInt8], to handle: Int) {
        guard attributes.indices.contains(handle - 1) else { return }
        attributes[handle - 1].value = value
    }

    /// Those of a range of handles.
    func range(_ first: Int, _ last: Int) -> [(handle: Int, attribute: Attribute)] {
        guard first >= 1, first <= last else { return [] }
        return attributes.enumerated().dropFirst(first - 1).prefix(last - first + 1).map { ($0 + 1, $1) }
    }
}
