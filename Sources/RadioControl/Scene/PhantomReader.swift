import PlainText
import VirtualRadio

/// Reads phantoms.
enum PhantomReader {
    static let keys = [
        "count", "address", "type", "at", "within", "interval", "body", "local-name", "services", "manufacturer",
        "data", "response", "peripheral",
    ]
    static let manufacturerKeys = ["company", "data"]
    static let peripheralKeys = ["name", "mtu", "services", "faults", "waits-for-confirmation"]
    static let serviceKeys = ["uuid", "characteristics"]
    static let characteristicKeys = ["uuid", "properties", "value", "every", "faults"]

    static let properties: [(String, PhantomPeripheral.Properties)] = [
        ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write), ("notify", .notify),
        ("indicate", .indicate),
    ]

    static func group(_ name: String, _ members: FileMapping) throws(FileMistake) -> PhantomGroup {
        let context = members.node.context
        var group = PhantomGroup(name: name)
        group.count = context.attempt(try members["count"]?.integer(in: 1...Scene.Limit.phantoms)) ?? 1
        group.interval = context.attempt(try members["interval"]?.span(Phantom.intervals)) ?? group.interval
        group.body = context.attempt(try members["body"]?.decibels(-50...200)) ?? 0
        group.response = context.attempt(try members["response"]?.bytes(most: Phantom.maximumDataLength)) ?? []
        group.peripheral = context.attempt(try members["peripheral"].map(peripheral))
        group.data = context.attempt(try data(members, isConnectable: group.peripheral != nil)) ?? []
        group.address = context.attempt(try address(members, count: group.count))
        let place = try members.exactlyOne(of: ["at", "within"])
        if place.key == "at" {
            let position = try place.value.position()
            group.place = (position, position)
        } else {
            let corners = try place.value.list(of: "corners", limit: 2)
            guard corners.count == 2 else { throw place.value.fail("expected two corners, each such as [3 m, 4 m]") }
            group.place = (try corners[0].position(), try corners[1].position())
        }
        return group
    }

    private static func address(_ members: FileMapping, count: Int) throws(FileMistake) -> DeviceAddress? {
        let isRandom =
            try members["type"].map { type throws(FileMistake) in
                try type.choice(of: "type of address", among: [("random", true), ("public", false)])
            } ?? true
        guard let node = members["address"] else {
            if let type = members["type"] { throw type.fail("a type is for an address") }
            return nil
        }
        guard count == 1 else { throw node.fail("an address is for a single phantom") }
        let expected = "an address such as C0:11:22:33:44:55"
        guard let address = DeviceAddress(try node.text(expected), isRandom: isRandom) else {
            throw node.fail(expecting: expected)
        }
        return address
    }

    /// Advertising data. (Core Specification Supplement, Part A)
    private static func data(_ members: FileMapping, isConnectable: Bool) throws(FileMistake) -> [UInt8] {
        if let data = members["data"] {
            for key in ["local-name", "services", "manufacturer"] {
                if let other = members[key] { throw other.fail("\(key) cannot be combined with data") }
            }
            return try data.bytes(most: Phantom.maximumDataLength)
        }
        // Flags: general discoverable, no BR/EDR.
        var data: [UInt8] = [2, 0x01, 0x06]
        if let services = members["services"] {
            for node in try services.list(of: "services", limit: Scene.Limit.services) {
                let uuid = try node.uuid().bytes
                data += [UInt8(uuid.count + 1), uuid.count == 2 ? 0x03 : 0x07] + uuid
            }
        }
        if let node = members["manufacturer"] {
            let mapping = try node.mapping(of: "a manufacturer", keys: manufacturerKeys)
            let company = try mapping.required("company").uuid().bytes.prefix(2)
            let content = try mapping["data"]?.bytes(most: 26) ?? []
            data += [UInt8(content.count + 3), 0xFF] + company + content
        }
        if let node = members["local-name"] {
            let name = Array(try node.text("a name").utf8)
            guard name.count <= 29 else { throw node.fail(expecting: "a name of up to 29 bytes") }
            data += [UInt8(name.count + 1), 0x09] + name
        }
        guard data.count <= Phantom.maximumDataLength else {
            throw members.node.fail(
                "advertising data too long: \(data.count) bytes (limit \(Phantom.maximumDataLength)); use a response or a shorter "
                    + "name")
        }
        return data
    }

    private static func peripheral(_ node: FileNode) throws(FileMistake) -> PhantomPeripheral {
        let members = try node.mapping(of: "a peripheral", keys: peripheralKeys)
        let context = node.context
        var result = PhantomPeripheral()
        result.name = context.attempt(try members["name"]?.text("a name")) ?? ""
        result.name = String(result.name.prefix(60))
        result.mtu = context.attempt(try members["mtu"]?.integer(in: 0...65_535)) ?? result.mtu
        result.waitsForConfirmation = context.attempt(try members["waits-for-confirmation"]?.flag()) ?? true
        if let services = context.attempt(try members["services"]?.list(of: "services", limit: Scene.Limit.services)) {
            result.services = context.each(services, service)
        }
        result.faults = PhantomFaultReader.faults(members["faults"], isOfPeripheral: true)
        return result
    }

    static let intervals = 10 * Span.millisecond...3_600 * Span.second

    private static func service(_ node: FileNode) throws(FileMistake) -> PhantomPeripheral.Service {
        let members = try node.mapping(of: "a service", keys: serviceKeys)
        let nodes = try members["characteristics"]?.list(of: "characteristics", limit: Scene.Limit.characteristics)
        let characteristics = node.context.each(nodes ?? [], characteristic)
        return .init(uuid: try members.required("uuid").uuid(), characteristics: characteristics)
    }

    private static func characteristic(_ node: FileNode) throws(FileMistake) -> PhantomPeripheral.Characteristic {
        let members = try node.mapping(of: "a characteristic", keys: characteristicKeys)
        var flags: PhantomPeripheral.Properties = []
        for node in try members.required("properties").list(of: "properties", limit: properties.count) {
            flags.insert(try node.choice(of: "property", among: properties))
        }
        return .init(
            uuid: try members.required("uuid").uuid(), properties: flags,
            value: try members["value"]?.bytes(most: 512) ?? [], interval: try members["every"]?.span(intervals),
            faults: PhantomFaultReader.faults(members["faults"], isOfPeripheral: false))
    }
}
