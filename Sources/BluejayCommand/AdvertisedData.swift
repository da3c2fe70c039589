import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import PlainText

/// What an advertisement carries besides a name and services: data of companies and of services, and the transmit
/// power.
struct AdvertisedData {
    /// By company identifier.
    private let manufacturers: [ManufacturerData]
    private let services: [(uuid: CBUUID, data: Data)]
    private let txPower: Int?
    private let beacon: Beacon?

    /// - Parameter packet: an advertisement as CoreBluetooth has it.
    init(_ packet: [String: Any]) {
        let companies = packet[CBAdvertisementDataAllManufacturerDataKey] as? [Data] ?? []
        manufacturers = companies.compactMap(ManufacturerData.init)
        let data = packet[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        services = data.map { ($0.key, $0.value) }.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
        txPower = (packet[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue
        beacon = Beacon(packet)
    }

    /// Whose UUID it is, if it belongs to a member of the SIG.
    private static func member(of uuid: CBUUID) -> String? { uuid.assignedNumber.flatMap(AssignedKind.member.name) }

    /// For people: `manufacturer "Apple, Inc.": 10020b00`, `data of battery-service: 64`, `tx 4 dBm`. What is a
    /// beacon's is said as such.
    var texts: [String] {
        var texts = beacon.map { [$0.text] } ?? []
        texts += manufacturers.filter { beacon?.company != $0.company }.map(\.text)
        for (uuid, data) in services where beacon?.service != uuid {
            let member = Self.member(of: uuid).map { "\(uuid.uuidString) \"\($0)\"" }
            texts.append("data of \(member ?? uuid.label): \(ValueText.hex(data))")
        }
        if let txPower { texts.append("tx \(txPower) dBm") }
        return texts
    }

    /// Everything, that of a beacon as well. `manufacturerData` and `manufacturer` are those of one company.
    func add(to object: inout JSONObject) {
        object.add("txPower", txPower)
        let first = manufacturers.first { beacon?.company != $0.company } ?? manufacturers.first
        object.add("manufacturerData", first.map { ValueText.hex($0.bytes) })
        object.add("manufacturer", first?.json)
        if manufacturers.count > 1 { object.add("manufacturers", manufacturers.map(\.json)) }
        if !services.isEmpty {
            object.add(
                "serviceData",
                services.map { uuid, data in
                    var entry = JSONObject()
                    entry.add("service", uuid.uuidString)
                    entry.add("name", uuid.name ?? Self.member(of: uuid))
                    entry.add("data", ValueText.hex(data))
                    return entry
                })
        }
        object.add("beacon", beacon?.json)
    }
}

/// What a company advertises about its device: its number, and data in a format of its own.
private struct ManufacturerData {
    let bytes: Data
    let company: UInt16

    /// Nil if it is too short for the number.
    init?(_ bytes: Data) {
        guard bytes.count >= 2 else { return nil }
        self.bytes = bytes
        let first = bytes.prefix(2).map(UInt16.init)
        company = first[1] << 8 | first[0]
    }

    /// The test number's has none.
    private var name: String? { AssignedKind.company.name(of: company) }

    /// `manufacturer "Apple, Inc.": 10020b00`
    var text: String {
        "manufacturer \(name.map { "\"\($0)\"" } ?? AssignedName.digits(of: company)): \(ValueText.hex(bytes.dropFirst(2)))"
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("company", AssignedName.digits(of: company))
        object.add("name", name)
        object.add("data", ValueText.hex(bytes.dropFirst(2)))
        return object
    }
}
