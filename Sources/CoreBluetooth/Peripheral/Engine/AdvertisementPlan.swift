import BlueZ

/// What ``CBPeripheralManager/startAdvertising(_:)`` transmits of the dictionary that it is given.
struct AdvertisementPlan: Hashable, Swift.Sendable {
    /// The name, which goes into the scan response.
    let localName: String?
    /// 128-bit UUIDs in lower case.
    let serviceUUIDs: [String]

    /// What an advertisement holds beside its flags, in bytes; the scan response holds no name longer than 29.
    private static let room = 31 - 3
    private static let nameRoom = 31 - 2

    init(_ data: [String: Any]) {
        let known = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey]
        for key in data.keys.sorted() where !known.contains(key) {
            Diagnostics.warning("\(key) is not advertised: only the local name and service UUIDs are")
        }
        localName = (data[CBAdvertisementDataLocalNameKey] as? String).map(Self.shortened)
        let uuids = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let (fitting, surplus) = Self.fit(uuids)
        if !surplus.isEmpty {
            Diagnostics.warning("no room to advertise \(surplus.map(\.uuidString).joined(separator: ", "))")
        }
        serviceUUIDs = fitting.map { $0.fullText.lowercased() }
    }

    var bluezData: BlueZ.AdvertisementData {
        BlueZ.AdvertisementData(localName: localName, serviceUUIDs: serviceUUIDs)
    }

    /// Takes UUIDs in their order as long as there is room. Each list of UUIDs of one width costs 2 bytes more.
    static func fit(_ uuids: [CBUUID]) -> (fitting: [CBUUID], surplus: [CBUUID]) {
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

    /// The longest beginning of `name` that has room.
    static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > nameRoom { name.removeLast() }
        return name
    }
}
