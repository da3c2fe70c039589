/// What a service is at the moment of ``CBPeripheralManager/add(_:)``: from then on changes of the objects do not
/// matter.
struct ServicePlan: Swift.Sendable {
    let service: CBMutableService
    let uuid: String
    let isPrimary: Bool
    let characteristics: [CharacteristicPlan]

    /// - Throws: `CBError`, when BlueZ or the API does not allow such a service.
    init(_ service: CBMutableService) throws {
        // The system's own: Generic Access and Generic Attribute.
        if let number = service.uuid.assignedNumber, [0x1800, 0x1801].contains(number) {
            throw CBError(.uuidNotAllowed)
        }
        if !(service.includedServices ?? []).isEmpty {
            Diagnostics.warning("included services are not published: \(service)")
        }
        self.service = service
        uuid = service.uuid.fullText.lowercased()
        isPrimary = service.isPrimary
        characteristics = try (service.characteristics ?? []).map { characteristic in
            guard let characteristic = characteristic as? CBMutableCharacteristic else {
                throw Self.invalid("a characteristic of our own is a CBMutableCharacteristic: \(characteristic)")
            }
            return try CharacteristicPlan(characteristic)
        }
    }

    static func invalid(_ message: String) -> CBError {
        CBError(.invalidParameters, userInfo: [NSLocalizedDescriptionKey: message])
    }
}

/// What a characteristic is when its service is added.
struct CharacteristicPlan: Swift.Sendable {
    let characteristic: CBMutableCharacteristic
    let uuid: String
    let flags: [String]
    /// The value that reads are answered with; nil where the delegate answers.
    let staticValue: Data?
    let isReadable: Bool
    let isWriteable: Bool
    let descriptors: [DescriptorPlan]

    init(_ characteristic: CBMutableCharacteristic) throws {
        let properties = characteristic.properties
        let permissions = characteristic.permissions
        let flags = AttributeFlags(properties: properties, permissions: permissions)
        if let value = characteristic.value {
            // Centrals may keep such a value forever.
            guard !flags.allowsWriting, !flags.notifies else {
                throw ServicePlan.invalid("a characteristic with a static value is read-only: \(characteristic)")
            }
            guard value.count <= ATT.maximumValueLength else {
                throw ServicePlan.invalid("a value has \(ATT.maximumValueLength) bytes at most: \(characteristic)")
            }
        }
        if !properties.isDisjoint(with: [.broadcast, .extendedProperties]) {
            Diagnostics.misuse("broadcast and extended properties are not for local characteristics: \(characteristic)")
        }
        self.characteristic = characteristic
        uuid = characteristic.uuid.fullText.lowercased()
        self.flags = flags.names
        staticValue = characteristic.value
        isReadable = flags.allowsReading
        isWriteable = flags.allowsWriting
        descriptors = try (characteristic.descriptors ?? []).map(DescriptorPlan.init)
    }
}

/// What a descriptor is when its service is added.
struct DescriptorPlan: Swift.Sendable {
    let uuid: String
    let value: Data

    init(_ descriptor: CBDescriptor) throws {
        if let number = descriptor.uuid.assignedNumber, [0x2900, 0x2902, 0x2903].contains(number) {
            throw ServicePlan.invalid("the system adds this descriptor: \(descriptor)")
        }
        guard let value = DescriptorValue.encode(descriptor.value) else {
            throw ServicePlan.invalid("a descriptor of our own has a String or Data as its value: \(descriptor)")
        }
        uuid = descriptor.uuid.fullText.lowercased()
        self.value = value
    }
}

/// The characteristic flags of BlueZ (`doc/gatt-api.txt`), which say at once what a central is told that it can do and
/// what it may do.
struct AttributeFlags: Hashable, Swift.Sendable {
    let names: [String]
    let allowsReading: Bool
    let allowsWriting: Bool
    let notifies: Bool

    /// - Note: bluetoothd has no encrypted variant of `write-without-response`. Where encryption is required for
    ///   writing it also tells centrals that they can write with a response.
    init(properties: CBCharacteristicProperties, permissions: CBAttributePermissions) {
        let mayRead = !permissions.isDisjoint(with: [.readable, .readEncryptionRequired])
        let mayWrite = !permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
        let writes: CBCharacteristicProperties = [.write, .writeWithoutResponse, .authenticatedSignedWrites]
        var names: [String] = []
        if properties.contains(.read) {
            names.append(permissions.contains(.readEncryptionRequired) ? "encrypt-read" : "read")
        }
        if properties.contains(.writeWithoutResponse) { names.append("write-without-response") }
        if properties.contains(.write) { names.append("write") }
        if properties.contains(.authenticatedSignedWrites) { names.append("authenticated-signed-writes") }
        if permissions.contains(.writeEncryptionRequired), !properties.isDisjoint(with: writes) {
            names.append("encrypt-write")
        }
        if !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired]) { names.append("notify") }
        if properties.contains(.notifyEncryptionRequired) { names.append("encrypt-notify") }
        if !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) { names.append("indicate") }
        if properties.contains(.indicateEncryptionRequired) { names.append("encrypt-indicate") }
        self.names = names
        allowsReading = properties.contains(.read) && mayRead
        allowsWriting = !properties.isDisjoint(with: writes) && mayWrite
        notifies = !properties.isDisjoint(
            with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
    }
}
