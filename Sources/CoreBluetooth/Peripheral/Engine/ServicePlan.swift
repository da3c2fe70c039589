import BlueZ

/// What a service is at the moment of ``CBPeripheralManager/add(_:)``: later changes of the objects do not
/// matter.
struct ServicePlan: Swift.Sendable {
    let service: CBMutableService
    let uuid: String
    let isPrimary: Bool
    /// The services that it includes.
    let includes: [CBMutableService]
    let characteristics: [CharacteristicPlan]

    /// - Throws: `CBError`, when BlueZ or the API does not allow such a service.
    init(_ service: CBMutableService) throws {
        // The system's own: Generic Access and Generic Attribute.
        if let number = service.uuid.assignedNumber, [0x1800, 0x1801].contains(number) {
            throw CBError(.uuidNotAllowed)
        }
        includes = try (service.includedServices ?? []).map { included in
            guard let included = included as? CBMutableService, included !== service else {
                throw Self.invalid("an included service must be another CBMutableService: \(included)")
            }
            return included
        }
        self.service = service
        uuid = service.uuid.fullText.lowercased()
        isPrimary = service.isPrimary
        characteristics = try (service.characteristics ?? []).map { characteristic in
            guard let characteristic = characteristic as? CBMutableCharacteristic else {
                throw Self.invalid("a local characteristic must be a CBMutableCharacteristic: \(characteristic)")
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
    let flags: AttributeFlags
    /// The value that reads are answered with; nil where the delegate answers.
    let staticValue: Data?
    let isReadable: Bool
    let isWriteable: Bool
    let descriptors: [DescriptorPlan]

    init(_ characteristic: CBMutableCharacteristic) throws {
        let properties = characteristic.properties
        let permissions = characteristic.permissions
        let access = CharacteristicAccess(properties: properties, permissions: permissions)
        if let value = characteristic.value {
            // Centrals may keep such a value forever.
            guard !access.allowsWriting, !access.flags.allowSubscribing else {
                throw ServicePlan.invalid("a characteristic with a static value must be read-only: \(characteristic)")
            }
            guard value.count <= ATT.maximumValueLength else {
                throw ServicePlan.invalid("value too long (limit \(ATT.maximumValueLength) bytes): \(characteristic)")
            }
        }
        if !properties.isDisjoint(with: [.broadcast, .extendedProperties]) {
            Diagnostics.misuse("broadcast and extended properties are not for local characteristics: \(characteristic)")
        }
        self.characteristic = characteristic
        uuid = characteristic.uuid.fullText.lowercased()
        flags = access.flags
        staticValue = characteristic.value
        isReadable = access.allowsReading
        isWriteable = access.allowsWriting
        descriptors = try (characteristic.descriptors ?? []).map(DescriptorPlan.init)
    }
}

/// What a descriptor is when its service is added.
struct DescriptorPlan: Swift.Sendable {
    let uuid: String
    let value: Data

    init(_ descriptor: CBDescriptor) throws {
        if let number = descriptor.uuid.assignedNumber, [0x2900, 0x2902, 0x2903].contains(number) {
            throw ServicePlan.invalid("the system adds this descriptor itself: \(descriptor)")
        }
        guard let value = DescriptorValue.encode(descriptor.value) else {
            throw ServicePlan.invalid("the value of a local descriptor must be a String or Data: \(descriptor)")
        }
        uuid = descriptor.uuid.fullText.lowercased()
        self.value = value
    }
}

/// What a characteristic supports, as centrals see it, and what they are permitted to do.
struct CharacteristicAccess: Hashable, Swift.Sendable {
    let flags: AttributeFlags
    let allowsReading: Bool
    let allowsWriting: Bool

    /// - Note: bluetoothd has no encrypted variant of `write-without-response`. Where writing requires encryption, it
    ///   also announces writes with a response.
    init(properties: CBCharacteristicProperties, permissions: CBAttributePermissions) {
        let reading = SecurityLevel(
            permissions, plain: .readable, encrypted: .readEncryptionRequired,
            authenticated: .readAuthenticationRequired, secure: .readSecureConnectionsRequired)
        let writing = SecurityLevel(
            permissions, plain: .writeable, encrypted: .writeEncryptionRequired,
            authenticated: .writeAuthenticationRequired, secure: .writeSecureConnectionsRequired)
        let notifying = SecurityLevel(
            properties, plain: .notify, encrypted: .notifyEncryptionRequired,
            authenticated: .notifyAuthenticationRequired, secure: .notifySecureConnectionsRequired)
        let indicating = SecurityLevel(
            properties, plain: .indicate, encrypted: .indicateEncryptionRequired,
            authenticated: .indicateAuthenticationRequired, secure: .indicateSecureConnectionsRequired)
        let writes: CBCharacteristicProperties = [.write, .writeWithoutResponse, .authenticatedSignedWrites]
        var flags: AttributeFlags = []
        if properties.contains(.read) {
            flags.insert(
                reading?.flag(.encryptRead, authenticated: .encryptAuthenticatedRead, secure: .secureRead) ?? .read)
        }
        if properties.contains(.writeWithoutResponse) { flags.insert(.writeWithoutResponse) }
        if properties.contains(.write) { flags.insert(.write) }
        if properties.contains(.authenticatedSignedWrites) { flags.insert(.authenticatedSignedWrites) }
        if !properties.isDisjoint(with: writes),
            let flag = writing?.flag(
                .encryptWrite, authenticated: .encryptAuthenticatedWrite, secure: .secureWrite)
        {
            flags.insert(flag)
        }
        if let notifying {
            flags.insert(.notify)
            let flag = notifying.flag(
                .encryptNotify, authenticated: .encryptAuthenticatedNotify, secure: .secureNotify)
            if let flag { flags.insert(flag) }
        }
        if let indicating {
            flags.insert(.indicate)
            let flag = indicating.flag(
                .encryptIndicate, authenticated: .encryptAuthenticatedIndicate, secure: .secureIndicate)
            if let flag { flags.insert(flag) }
        }
        self.flags = flags
        allowsReading = properties.contains(.read) && reading != nil
        allowsWriting = !properties.isDisjoint(with: writes) && writing != nil
    }
}

/// What kind of link a use of a characteristic takes.
private enum SecurityLevel {
    case none, encrypted, authenticated, secure

    /// The highest that `options` ask for; nil if the use is not allowed.
    init?<Options: OptionSet>(
        _ options: Options, plain: Options, encrypted: Options, authenticated: Options, secure: Options
    ) {
        if options.isSuperset(of: secure) {
            self = .secure
        } else if options.isSuperset(of: authenticated) {
            self = .authenticated
        } else if options.isSuperset(of: encrypted) {
            self = .encrypted
        } else if options.isSuperset(of: plain) {
            self = .none
        } else {
            return nil
        }
    }

    /// bluetoothd's flag for it; nil if any link will do.
    func flag(_ encrypted: AttributeFlags, authenticated: AttributeFlags, secure: AttributeFlags) -> AttributeFlags? {
        switch self {
        case .none: nil
        case .encrypted: encrypted
        case .authenticated: authenticated
        case .secure: secure
        }
    }
}
