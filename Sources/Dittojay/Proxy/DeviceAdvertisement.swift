import CoreBluetooth

/// What a device advertises, gathered from its advertisements and scan responses.
struct DeviceAdvertisement {
    private(set) var localName: String?
    private(set) var serviceUUIDs: [CBUUID] = []
    private(set) var manufacturer: ExtraAdvertisement.Manufacturer?
    private(set) var serviceData: [String: [UInt8]] = [:]
    var appearance: UInt16?

    mutating func add(_ data: [String: Any]) {
        localName = data[CBAdvertisementDataLocalNameKey] as? String ?? localName
        for uuid in data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [] where !serviceUUIDs.contains(uuid) {
            serviceUUIDs.append(uuid)
        }
        if let bytes = (data[CBAdvertisementDataManufacturerDataKey] as? Data).map({ [UInt8]($0) }), bytes.count >= 2 {
            manufacturer = .init(company: UInt16(bytes[0]) | UInt16(bytes[1]) << 8, data: Array(bytes.dropFirst(2)))
        }
        for (uuid, bytes) in data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
            serviceData[uuid.profileText] = [UInt8](bytes)
        }
    }

    /// What is advertised besides the name and the services. What does not fit is left out when it is advertised.
    var extra: ExtraAdvertisement {
        ExtraAdvertisement(manufacturer: manufacturer, serviceData: serviceData, appearance: appearance)
    }
}
