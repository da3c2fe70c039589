import BlueZ

/// What ``CBPeripheralManager/startAdvertising(_:)`` transmits of the dictionary that it is given.
package struct AdvertisementPlan: Hashable, Swift.Sendable {
    /// The name, which goes into the scan response.
    package let localName: String?
    /// 128-bit UUIDs in lower case.
    package let serviceUUIDs: [String]
    /// By the company's number.
    package let manufacturerData: [UInt16: Data]
    /// By 128-bit UUIDs in lower case.
    package let serviceData: [String: Data]
    /// What the device looks like, by its assigned number.
    package let appearance: UInt16?
    /// Whether the controller's transmit power goes with it.
    package let hasTxPower: Bool
    /// Between two advertisements, in milliseconds; nil: what BlueZ does.
    package let interval: UInt32?

    /// The key of an interval, an `NSNumber` of milliseconds. Apple's API has none; dittojay's profiles do.
    package static let intervalKey = "kCBAdvDataInterval"
    /// The key of an appearance, an `NSNumber`. Apple's API has none; dittojay's profiles do.
    package static let appearanceKey = "kCBAdvDataAppearance"

    /// What an advertisement holds beside its flags, in bytes; the scan response holds no name longer than 29.
    private static let room = 31 - 3
    private static let nameRoom = 31 - 2

    package init(_ data: [String: Any]) {
        let known = [
            CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey,
            CBAdvertisementDataManufacturerDataKey, CBAdvertisementDataAllManufacturerDataKey,
            CBAdvertisementDataServiceDataKey, CBAdvertisementDataTxPowerLevelKey, Self.appearanceKey, Self.intervalKey,
        ]
        for key in data.keys.sorted() where !known.contains(key) {
            Diagnostics.warning("\(key) is not advertised")
        }
        // These first: they come whole or not at all, and whoever gives them wants them more than another UUID.
        interval = (data[Self.intervalKey] as? NSNumber)?.uint32Value
        appearance = (data[Self.appearanceKey] as? NSNumber)?.uint16Value
        hasTxPower = data[CBAdvertisementDataTxPowerLevelKey] != nil
        var left = Self.room - (appearance == nil ? 0 : 4) - (hasTxPower ? 3 : 0)
        (manufacturerData, left) = Self.manufacturerData(Self.manufacturers(in: data), room: left)
        (serviceData, left) = Self.serviceData(data[CBAdvertisementDataServiceDataKey], room: left)
        localName = (data[CBAdvertisementDataLocalNameKey] as? String).map(Self.shortened)
        let uuids = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let (fitting, surplus) = Self.fit(uuids, room: left)
        if !surplus.isEmpty {
            Diagnostics.warning("no room to advertise \(surplus.map(\.uuidString).joined(separator: ", "))")
        }
        serviceUUIDs = fitting.map { $0.fullText.lowercased() }
    }

    var bluezData: BlueZ.AdvertisementData {
        BlueZ.AdvertisementData(
            localName: localName, serviceUUIDs: serviceUUIDs, manufacturerData: manufacturerData,
            serviceData: serviceData, appearance: appearance, hasTxPower: hasTxPower, interval: interval)
    }

    /// Takes UUIDs in their order as long as there is room. Each list of UUIDs of one width costs 2 bytes more.
    static func fit(_ uuids: [CBUUID], room: Int = Self.room) -> (fitting: [CBUUID], surplus: [CBUUID]) {
        var left = room
        var widths: Set<Int> = []
        var fitting: [CBUUID] = []
        var surplus: [CBUUID] = []
        for uuid in uuids where !fitting.contains(uuid) {
            let width = CBUUID(shortening: uuid.fullText)?.data.count ?? 16
            let cost = width + (widths.contains(width) ? 0 : 2)
            guard cost <= left else {
                surplus.append(uuid)
                continue
            }
            left -= cost
            widths.insert(width)
            fitting.append(uuid)
        }
        return (fitting, surplus)
    }

    /// What a dictionary has of companies, by either key.
    static func manufacturers(in data: [String: Any]) -> [Data] {
        let one = data[CBAdvertisementDataManufacturerDataKey] as? Data
        return (one.map { [$0] } ?? []) + (data[CBAdvertisementDataAllManufacturerDataKey] as? [Data] ?? [])
    }

    /// - Parameter values: the companies' numbers, the lower byte first, and their data. The first of a company counts.
    private static func manufacturerData(_ values: [Data], room: Int) -> (data: [UInt16: Data], left: Int) {
        var result: [UInt16: Data] = [:]
        var left = room
        for value in values {
            let company = value.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            guard value.count < 2 || result[company] == nil else { continue }
            guard value.count >= 2, value.count + 2 <= left else {
                Diagnostics.warning(
                    "the manufacturer data (\(value.count) bytes) have no company identifier or do not fit")
                continue
            }
            left -= value.count + 2
            result[company] = Data(value.dropFirst(2))
        }
        return (result, left)
    }

    private static func serviceData(_ value: Any?, room: Int) -> (data: [String: Data], left: Int) {
        var result: [String: Data] = [:]
        var left = room
        let services = (value as? [CBUUID: Data] ?? [:]).sorted { $0.key.fullText < $1.key.fullText }
        for (uuid, data) in services {
            let cost = 2 + (CBUUID(shortening: uuid.fullText)?.data.count ?? 16) + data.count
            guard cost <= left else {
                Diagnostics.warning("no room to advertise the data of \(uuid.uuidString)")
                continue
            }
            left -= cost
            result[uuid.fullText.lowercased()] = data
        }
        return (result, left)
    }

    /// The longest beginning of `name` that has room.
    static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > nameRoom { name.removeLast() }
        return name
    }
}
