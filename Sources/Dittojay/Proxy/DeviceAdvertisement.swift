import CoreBluetooth

/// What a device advertises, gathered from its advertisements and scan responses.
struct DeviceAdvertisement {
    private(set) var localName: String?
    private(set) var serviceUUIDs: [CBUUID] = []
    private(set) var manufacturers: [UInt16: [UInt8]] = [:]
    private(set) var serviceData: [String: [UInt8]] = [:]
    private(set) var hasTxPower = false
    var appearance: UInt16?

    mutating func add(_ data: [String: Any]) {
        localName = data[CBAdvertisementDataLocalNameKey] as? String ?? localName
        for uuid in data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [] where !serviceUUIDs.contains(uuid) {
            serviceUUIDs.append(uuid)
        }
        for value in data[CBAdvertisementDataAllManufacturerDataKey] as? [Data] ?? [] where value.count >= 2 {
            let bytes = [UInt8](value)
            manufacturers[UInt16(bytes[0]) | UInt16(bytes[1]) << 8] = Array(bytes.dropFirst(2))
        }
        hasTxPower = hasTxPower || data[CBAdvertisementDataTxPowerLevelKey] != nil
        for (uuid, bytes) in data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
            serviceData[uuid.profileText] = [UInt8](bytes)
        }
    }

    /// What is advertised besides the name and the services. What does not fit is left out when it is advertised.
    var extra: ExtraAdvertisement {
        ExtraAdvertisement(
            manufacturers: manufacturers.sorted { $0.key < $1.key }.map { .init(company: $0.key, data: $0.value) },
            serviceData: serviceData, appearance: appearance, hasTxPower: hasTxPower)
    }
}
