import CoreBluetooth
import GATTProfiles

/// Makes a profile of a YAML tree: the peripheral and its services. Characteristics and steps have readers of their own.
enum ProfileReader {
    /// 29 bytes of scan response less the header; a longer name would be shortened on the air.
    static let possibleNameLengths = 1...26
    /// What an advertisement holds beside its flags, in bytes.
    private static let advertisementRoom = 31 - 3
    private static let possibleCounts = 1...100

    static func profile(_ root: FileNode, defaultName: String) throws(ProfileFileError) -> PeripheralProfile {
        let file = try root.mapping(
            of: "a profile", keys: ["name", "local-name", "advertise", "services", "scenario"])
        let name = try file["name"]?.text("a name") ?? defaultName
        var localName = "Dittojay"
        if let node = file["local-name"] {
            localName = try node.text("the name to be advertised")
            guard possibleNameLengths.contains(localName.utf8.count) else {
                throw node.fail("the name has \(localName.utf8.count) bytes; only 26 fit into an advertisement")
            }
        }
        let serviceNodes = try file.required("services").list(of: "services")
        guard possibleCounts.contains(serviceNodes.count) else {
            throw try file.required("services").fail("there have to be \(possibleCounts) services")
        }
        let drafts = try drafts(serviceNodes)
        let index = AttributeIndex(
            services: drafts.map { ($0.name.text, $0.uuid) },
            characteristics: drafts.flatMap { draft in
                draft.characteristics.map {
                    .init(
                        path: CharacteristicPath(draft.name.text, $0.name.text), uuid: $0.uuid,
                        properties: $0.properties)
                }
            })
        var services: [ServiceProfile] = []
        for draft in drafts {
            var characteristics: [CharacteristicProfile] = []
            for characteristic in draft.characteristics {
                let reader = CharacteristicReader(characteristic, service: draft.name.text, index: index)
                characteristics.append(try reader.profile())
            }
            services.append(
                ServiceProfile(
                    name: draft.name.text, uuid: draft.uuid, isPrimary: draft.isPrimary,
                    isAdvertised: draft.isAdvertised,
                    isPublished: draft.isPublished, characteristics: characteristics))
        }
        var profile = PeripheralProfile(name: name, localName: localName, services: services)
        if let node = file["advertise"] { profile.advertisement = try advertisement(node) }
        if let node = file["scenario"] { profile.scenario = try StepReader(index, service: nil).steps(node) }
        try checkAdvertisement(of: profile, root)
        try CrossChecks(profile, drafts: drafts).run(file["scenario"] ?? root)
        return profile
    }

    // MARK: Names and UUIDs

    /// A service of which only the names and UUIDs are read.
    struct ServiceDraft {
        let name: DraftName
        let uuid: String
        let isPrimary: Bool
        let isAdvertised: Bool
        let isPublished: Bool
        let characteristics: [CharacteristicDraft]
    }

    struct CharacteristicDraft {
        let name: DraftName
        let uuid: String
        let properties: CBCharacteristicProperties
        let members: FileMapping
    }

    struct DraftName {
        let text: String
        /// Where it is written; the attribute if it is not.
        let node: FileNode
        let isWritten: Bool
    }

    private static func drafts(_ nodes: [FileNode]) throws(ProfileFileError) -> [ServiceDraft] {
        var drafts: [ServiceDraft] = []
        for node in nodes {
            let members = try node.mapping(
                of: "a service", keys: ["name", "uuid", "primary", "advertised", "published", "characteristics"])
            let uuid = try AttributeUUID.read(members.required("uuid"), .service)
            if ["1800", "1801"].contains(uuid) {
                throw try members.required("uuid").fail("bluetoothd has the service \(uuid) itself")
            }
            let characteristics = try members["characteristics"]?.list(of: "characteristics") ?? []
            guard characteristics.count <= possibleCounts.upperBound else {
                throw node.fail("there can be \(possibleCounts.upperBound) characteristics at most")
            }
            var characteristicDrafts: [CharacteristicDraft] = []
            for node in characteristics {
                characteristicDrafts.append(try characteristicDraft(node))
            }
            try checkNames(characteristicDrafts.map { ($0.name, $0.uuid) }, "characteristics")
            drafts.append(
                ServiceDraft(
                    name: try name(of: members, uuid, .service), uuid: uuid,
                    isPrimary: try members["primary"]?.flag() ?? true,
                    isAdvertised: try members["advertised"]?.flag() ?? false,
                    isPublished: try members["published"]?.flag() ?? true, characteristics: characteristicDrafts))
        }
        try checkNames(drafts.map { ($0.name, $0.uuid) }, "services")
        return drafts
    }

    private static func characteristicDraft(_ node: FileNode) throws(ProfileFileError) -> CharacteristicDraft {
        let members = try node.mapping(of: "a characteristic", keys: CharacteristicReader.keys)
        let uuid = try AttributeUUID.read(members.required("uuid"), .characteristic)
        let propertiesNode = try members.required("properties")
        var properties: CBCharacteristicProperties = []
        for node in try propertiesNode.list(of: "properties") {
            properties.insert(try node.choice(of: "property", among: CharacteristicReader.properties))
        }
        guard !properties.isEmpty else { throw propertiesNode.fail("a characteristic has at least one property") }
        return CharacteristicDraft(
            name: try name(of: members, uuid, .characteristic), uuid: uuid, properties: properties, members: members)
    }

    private static func name(
        of members: FileMapping, _ uuid: String, _ kind: AttributeUUID.Kind
    ) throws(ProfileFileError) -> DraftName {
        guard let node = members["name"] else {
            return DraftName(text: AttributeUUID.defaultName(uuid, kind), node: members.node, isWritten: false)
        }
        let text = try node.text("a name")
        guard text.utf8.count <= 64, text.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw node.fail(expecting: "a name of at most 64 letters, digits, hyphens, dots and underscores")
        }
        return DraftName(text: text, node: node, isWritten: true)
    }

    private static func checkNames(_ names: [(name: DraftName, uuid: String)], _ what: String) throws(ProfileFileError)
    {
        for (index, entry) in names.enumerated() {
            guard let first = names[..<index].first(where: { $0.name.text == entry.name.text }) else { continue }
            let line = first.name.node.node.mark.map { " (line \($0.line))" } ?? ""
            throw entry.name.node.fail(
                first.name.isWritten && entry.name.isWritten
                    ? "there is another of that name\(line)"
                    : "there are two \(what) with the UUID \(entry.uuid)\(line): give each a name, so that it is clear "
                        + "which one is meant")
        }
    }

    // MARK: Advertising

    private static func advertisement(_ node: FileNode) throws(ProfileFileError) -> ExtraAdvertisement {
        let members = try node.mapping(of: "what is advertised", keys: ["manufacturer", "service-data"])
        var advertisement = ExtraAdvertisement()
        if let node = members["manufacturer"] {
            let manufacturer = try node.mapping(of: "the manufacturer", keys: ["company", "data"])
            advertisement.manufacturer = .init(
                company: UInt16(truncatingIfNeeded: try manufacturer.required("company").integer(in: 0...0xFFFF)),
                data: try manufacturer["data"]?.value(maximumLength: 24) ?? [])
        }
        if let node = members["service-data"] {
            for member in try node.anyMapping(of: "the services' data").members {
                let uuid = try AttributeUUID.read(member.keyNode, .service)
                advertisement.serviceData[uuid] = try member.value.value(maximumLength: 24)
            }
        }
        return advertisement
    }

    private static func checkAdvertisement(of profile: PeripheralProfile, _ root: FileNode) throws(ProfileFileError) {
        let uuids = Set(profile.services.filter(\.isAdvertised).map(\.uuid))
        let short = uuids.filter { $0.utf8.count == 4 }.count
        let long = uuids.count - short
        let length =
            profile.advertisement.length + (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0)
        guard length <= advertisementRoom else {
            throw root.fail(
                "what is advertised takes \(length) bytes, and there is room for \(advertisementRoom): a list of UUIDs takes "
                    + "2 and 2 or 16 for each, data take their length and 4 or, for a long UUID, 18")
        }
    }
}
