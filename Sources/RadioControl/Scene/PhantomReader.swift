import VirtualRadio

/// Reads phantoms.
enum PhantomReader {
    static let keys = [
        "count", "address", "type", "at", "within", "interval", "body", "local-name", "services", "manufacturer",
        "data", "response", "peripheral",
    ]
    static let manufacturerKeys = ["company", "data"]
    static let peripheralKeys = ["name", "mtu", "services", "misbehaviours", "waits-for-confirmation", "pushes"]
    static let serviceKeys = ["uuid", "characteristics"]
    static let characteristicKeys = ["uuid", "properties", "value", "every"]
    static let reactions = ["error", "silence", "bytes", "disconnect"]
    static let misbehaviourKeys = ["on", "of", "after", "times"] + reactions
    static let pushKeys = ["bytes", "every"]

    static let requests: [(String, UInt8)] = [
        ("exchange-mtu", 0x02), ("find-information", 0x04), ("find-by-type-value", 0x06), ("read-by-type", 0x08),
        ("read", 0x0A), ("read-blob", 0x0C), ("read-multiple", 0x0E), ("read-by-group-type", 0x10), ("write", 0x12),
        ("prepare-write", 0x16), ("execute-write", 0x18), ("write-command", 0x52),
    ]
    static let properties: [(String, PhantomPeripheral.Properties)] = [
        ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write), ("notify", .notify),
        ("indicate", .indicate),
    ]

    static func group(_ name: String, _ members: SceneMapping) throws(SceneMistake) -> PhantomGroup {
        let list = members.node.list
        var group = PhantomGroup(name: name)
        group.count = list.attempt(try members["count"]?.count(1...Scene.Limit.phantoms)) ?? 1
        group.interval = list.attempt(try members["interval"]?.span(Phantom.intervals)) ?? group.interval
        group.body = list.attempt(try members["body"]?.decibels(-50...200)) ?? 0
        group.response = list.attempt(try members["response"]?.bytes(most: Phantom.maximumDataLength)) ?? []
        group.peripheral = list.attempt(try members["peripheral"].map(peripheral))
        group.data = list.attempt(try data(members, isConnectable: group.peripheral != nil)) ?? []
        group.address = list.attempt(try address(members, count: group.count))
        let place = try members.exactlyOne(of: ["at", "within"])
        if place.key == "at" {
            let position = try place.value.position()
            group.place = (position, position)
        } else {
            let corners = try place.value.elements(of: "corners", most: 2)
            guard corners.count == 2 else { throw place.value.fail("expected two corners, each such as [3 m, 4 m]") }
            group.place = (try corners[0].position(), try corners[1].position())
        }
        return group
    }

    private static func address(_ members: SceneMapping, count: Int) throws(SceneMistake) -> DeviceAddress? {
        let isRandom =
            try members["type"].map { type throws(SceneMistake) in
                try type.choice("type of address", among: [("random", true), ("public", false)])
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
    private static func data(_ members: SceneMapping, isConnectable: Bool) throws(SceneMistake) -> [UInt8] {
        if let data = members["data"] {
            for key in ["local-name", "services", "manufacturer"] {
                if let other = members[key] { throw other.fail("\(key) cannot be combined with data") }
            }
            return try data.bytes(most: Phantom.maximumDataLength)
        }
        // Flags: general discoverable, no BR/EDR.
        var data: [UInt8] = [2, 0x01, 0x06]
        if let services = members["services"] {
            for node in try services.elements(of: "services", most: Scene.Limit.services) {
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

    private static func peripheral(_ node: SceneNode) throws(SceneMistake) -> PhantomPeripheral {
        let members = try node.mapping(of: "a peripheral", keys: peripheralKeys)
        let list = node.list
        var result = PhantomPeripheral()
        result.name = list.attempt(try members["name"]?.text("a name")) ?? ""
        result.name = String(result.name.prefix(60))
        result.mtu = list.attempt(try members["mtu"]?.count(0...65_535)) ?? result.mtu
        result.waitsForConfirmation = list.attempt(try members["waits-for-confirmation"]?.flag()) ?? true
        if let services = list.attempt(try members["services"]?.elements(of: "services", most: Scene.Limit.services)) {
            result.services = list.each(services, service)
        }
        if let node = members["misbehaviours"],
            let nodes = list.attempt(try node.elements(of: "misbehaviours", most: Scene.Limit.misbehaviours))
        {
            result.misbehaviours = list.each(nodes, misbehaviour)
        }
        if let node = members["pushes"],
            let nodes = list.attempt(try node.elements(of: "pushes", most: Scene.Limit.misbehaviours))
        {
            result.pushes = list.each(nodes, push)
        }
        return result
    }

    private static let intervals = 10 * Span.millisecond...3_600 * Span.second

    private static func service(_ node: SceneNode) throws(SceneMistake) -> PhantomPeripheral.Service {
        let members = try node.mapping(of: "a service", keys: serviceKeys)
        let nodes = try members["characteristics"]?.elements(
            of: "characteristics", most: Scene.Limit.characteristics)
        let characteristics = node.list.each(nodes ?? [], characteristic)
        return .init(uuid: try members.required("uuid").uuid(), characteristics: characteristics)
    }

    private static func characteristic(_ node: SceneNode) throws(SceneMistake) -> PhantomPeripheral.Characteristic {
        let members = try node.mapping(of: "a characteristic", keys: characteristicKeys)
        var flags: PhantomPeripheral.Properties = []
        for node in try members.required("properties").elements(of: "properties", most: properties.count) {
            flags.insert(try node.choice("property", among: properties))
        }
        return .init(
            uuid: try members.required("uuid").uuid(), properties: flags,
            value: try members["value"]?.bytes(most: 512) ?? [], interval: try members["every"]?.span(intervals))
    }

    private static func misbehaviour(_ node: SceneNode) throws(SceneMistake) -> PhantomPeripheral.Misbehaviour {
        let members = try node.mapping(of: "a misbehaviour", keys: misbehaviourKeys)
        let kind = try members.exactlyOne(of: reactions)
        let reaction: PhantomPeripheral.Reaction
        switch kind.key {
        case "error": reaction = .error(try code(kind.value))
        case "bytes": reaction = .bytes(try kind.value.bytes(most: 517))
        default:
            guard try kind.value.flag() else { throw kind.value.fail(expecting: "true") }
            reaction = kind.key == "silence" ? .silence : .disconnect
        }
        return .init(
            request: try members.required("on").choice("request", among: requests),
            type: try members["of"]?.uuid(), reaction: reaction, after: try members["after"]?.count(0...1_000_000) ?? 0,
            times: try members["times"]?.count(1...1_000_000))
    }

    private static func code(_ node: SceneNode) throws(SceneMistake) -> UInt8 {
        let expected = "an ATT error from 0x00 to 0xFF"
        let text = try node.text(expected)
        guard text.hasPrefix("0x"), let code = UInt8(text.dropFirst(2), radix: 16) else {
            throw node.fail(expecting: expected)
        }
        return code
    }

    private static func push(_ node: SceneNode) throws(SceneMistake) -> PhantomPeripheral.Push {
        let members = try node.mapping(of: "a push", keys: pushKeys)
        return .init(
            bytes: try members.required("bytes").bytes(most: 517),
            interval: try members.required("every").span(intervals))
    }
}
