import BlueZ
import MainLoop

/// What is known of an advertiser when it is sighted.
struct Sighting: Hashable, Swift.Sendable {
    let identifier: UUID
    let name: String?
    let serviceUUIDs: [String]
    let manufacturerData: [UInt16: Data]
    let serviceData: [String: Data]
    let txPower: Int?
    /// dBm; 127 means not known.
    let rssi: Int

    @LoopActor
    init?(_ device: Device) {
        guard let identifier = PeerIdentifier(device)?.uuid else { return nil }
        self.identifier = identifier
        name = device.name
        serviceUUIDs = device.serviceUUIDs
        manufacturerData = device.manufacturerData
        serviceData = device.serviceData
        txPower = device.txPower
        rssi = device.rssi ?? 127
    }

    /// Whether this says something that `earlier` did not: scan-response data came, for example.
    func adds(to earlier: Sighting) -> Bool {
        (name != nil && earlier.name == nil)
            || !Set(serviceUUIDs).isSubset(of: earlier.serviceUUIDs)
            || !Set(manufacturerData.keys).isSubset(of: earlier.manufacturerData.keys)
            || !Set(serviceData.keys).isSubset(of: earlier.serviceData.keys)
    }

    /// What an iBeacon frame begins with: Apple's number, the type and the length.
    private static let iBeacon: [UInt8] = [0x4C, 0x00, 0x02, 0x15]

    /// In the form that `didDiscover` reports.
    var advertisementData: [String: Any] {
        // Without CBAdvertisementDataIsConnectable: bluetoothd does not say of which kind an advertisement was.
        var data: [String: Any] = [:]
        data[CBAdvertisementDataLocalNameKey] = name
        if !serviceUUIDs.isEmpty {
            data[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs.compactMap(CBUUID.init(shortening:))
        }
        let manufacturers = manufacturerData.sorted { $0.key < $1.key }.map { company, bytes in
            Data([UInt8(company & 0xFF), UInt8(company >> 8)]) + bytes
        }
        if let first = manufacturers.first {
            data[CBAdvertisementDataManufacturerDataKey] =
                manufacturers.first { !$0.starts(with: Self.iBeacon) } ?? first
            data[CBAdvertisementDataAllManufacturerDataKey] = manufacturers
        }
        if !serviceData.isEmpty {
            var byService: [CBUUID: Data] = [:]
            for (service, bytes) in serviceData {
                if let uuid = CBUUID(shortening: service) { byService[uuid] = bytes }
            }
            data[CBAdvertisementDataServiceDataKey] = byService
        }
        data[CBAdvertisementDataTxPowerLevelKey] = txPower.map { NSNumber(value: $0) }
        return data
    }
}

extension PeerIdentifier {
    @LoopActor
    init?(_ device: Device) {
        self.init(addressText: device.address, isRandom: device.addressType == "random")
    }

    /// Whether this is the private address that the device had before it paired.
    @LoopActor
    func isFormerAddress(of device: Device) -> Bool {
        isRandom && device.address != addressText && device.firstAddress == addressText
    }
}
