package import RestorationProtocol

// Services and advertisements as the agent keeps them, and back.

extension ServiceRecord {
    init(_ service: CBMutableService, number: UInt32) {
        self.init(
            number: number, uuid: service.uuid.fullText, isPrimary: service.isPrimary,
            characteristics: (service.characteristics ?? []).map { characteristic in
                CharacteristicRecord(
                    uuid: characteristic.uuid.fullText, properties: characteristic.properties.rawValue,
                    permissions: (characteristic as? CBMutableCharacteristic)?.permissions.rawValue ?? 0,
                    value: characteristic.value,
                    descriptors: (characteristic.descriptors ?? []).map { descriptor in
                        DescriptorRecord(
                            uuid: descriptor.uuid.fullText, text: descriptor.value as? String,
                            value: descriptor.value is String ? nil : DescriptorValue.encode(descriptor.value))
                    })
            })
    }

    /// The service, made again; nil if the record has something that is no UUID.
    package var service: CBMutableService? {
        guard let uuid = CBUUID(shortening: uuid) else { return nil }
        let service = CBMutableService(type: uuid, primary: isPrimary)
        let made = characteristics.compactMap(\.characteristic)
        guard made.count == characteristics.count else { return nil }
        service.characteristics = made
        return service
    }
}

extension CharacteristicRecord {
    fileprivate var characteristic: CBMutableCharacteristic? {
        guard let uuid = CBUUID(shortening: uuid) else { return nil }
        let characteristic = CBMutableCharacteristic(
            type: uuid, properties: CBCharacteristicProperties(rawValue: properties), value: value,
            permissions: CBAttributePermissions(rawValue: permissions))
        guard !descriptors.isEmpty else { return characteristic }
        let made = descriptors.compactMap { descriptor in
            CBUUID(shortening: descriptor.uuid).map {
                CBMutableDescriptor(type: $0, value: descriptor.text ?? descriptor.value)
            }
        }
        guard made.count == descriptors.count else { return nil }
        characteristic.descriptors = made
        return characteristic
    }
}

extension AdvertisementRecord {
    /// What of the dictionary can be advertised.
    init(_ data: [String: Any]) {
        let serviceData = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        self.init(
            localName: data[CBAdvertisementDataLocalNameKey] as? String,
            services: (data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []).map(\.fullText),
            manufacturerData: AdvertisementPlan.manufacturers(in: data),
            serviceData: Dictionary(serviceData.map { ($0.key.fullText, $0.value) }) { first, _ in first },
            appearance: (data[AdvertisementPlan.appearanceKey] as? NSNumber)?.uint16Value,
            hasTxPower: data[CBAdvertisementDataTxPowerLevelKey] != nil)
    }

    /// As ``CBPeripheralManager/startAdvertising(_:)`` takes it.
    package var dictionary: [String: Any] {
        var data: [String: Any] = [:]
        if let localName { data[CBAdvertisementDataLocalNameKey] = localName }
        if !services.isEmpty {
            data[CBAdvertisementDataServiceUUIDsKey] = services.compactMap(CBUUID.init(shortening:))
        }
        if !manufacturerData.isEmpty { data[CBAdvertisementDataAllManufacturerDataKey] = manufacturerData }
        if !serviceData.isEmpty {
            let known = serviceData.compactMap { uuid, data in CBUUID(shortening: uuid).map { ($0, data) } }
            data[CBAdvertisementDataServiceDataKey] = Dictionary(known) { first, _ in first }
        }
        if let appearance { data[AdvertisementPlan.appearanceKey] = NSNumber(value: appearance) }
        if hasTxPower { data[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: 0) }
        return data
    }
}
