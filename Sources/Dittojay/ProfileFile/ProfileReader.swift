import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import PlainText

/// Makes a profile from a YAML tree: the peripheral and its services. Characteristics and steps have readers of their
/// own.
enum ProfileReader {
    /// 29 bytes of scan response less the header; a longer name would be shortened on the air.
    static let possibleNameLengths = 1...26
    /// What an advertisement holds besides its flags, in bytes.
    private static let advertisementRoom = 31 - 3
    static let possibleCounts = 1...100
    static let possibleManufacturers = 1...advertisementRoom / 4

    static func profile(
        _ root: FileNode, defaultName: String, allowsOtherFolders: Bool
    ) throws(FileMistake) -> PeripheralProfile {
        let file = try root.mapping(
            of: "a profile", keys: ProfileKeys.profile)
        let context = root.context
        let name = context.attempt(try file["name"]?.text("a name")) ?? defaultName
        var profile = PeripheralProfile(name: name, localName: "Dittojay", services: [])
        if let node = file["local-name"], let name = context.attempt(try localName(node)) { profile.localName = name }
        if let node = file["advertise"], let advertisement = context.attempt(try advertisement(node)) {
            profile.advertisement = advertisement
        }
        if let node = file["appearance"] {
            let number = context.attempt(try number(node, of: .appearance, "an appearance", hint: ""))
            profile.advertisement.appearance = number
        }
        if let node = file["pairing"] { profile.pairing = context.attempt(try pairing(node)) }
        let serviceNodes = try file.required("services").list(of: "services")
        guard possibleCounts.contains(serviceNodes.count) else {
            throw try file.required("services").fail("expected \(possibleCounts) services")
        }
        let drafts = drafts(serviceNodes)
        let index = AttributeIndex(
            services: drafts.map { ($0.name.text, $0.uuid) },
            characteristics: drafts.flatMap(\.references), isIncomplete: !context.mistakes.isEmpty)
        for draft in drafts {
            var characteristics: [CharacteristicProfile] = []
            characteristics += draft.standard?.profile(with: draft.security).characteristics ?? []
            for characteristic in draft.characteristics {
                let reader = CharacteristicReader(characteristic, service: draft.name.text, index: index)
                if let profile = context.attempt(try reader.profile()) { characteristics.append(profile) }
            }
            profile.services.append(
                ServiceProfile(
                    name: draft.name.text, uuid: draft.uuid, isPrimary: draft.isPrimary,
                    isAdvertised: draft.isAdvertised,
                    isPublished: draft.isPublished, characteristics: characteristics, standard: draft.standard))
        }
        if let node = file["scenario"], let steps = context.attempt(try StepReader(index, service: nil).steps(node)) {
            profile.scenario = steps
        }
        if let node = file["l2cap"] {
            let reader = ChannelReader(allowsOtherFolders: allowsOtherFolders)
            profile.channels = context.attempt(try reader.channels(node)) ?? []
        }
        var recordings = RecordingReader(index)
        if let node = file["recording"] { profile.recording = context.attempt(try recordings.recording(node)) }
        // The following checks need the whole profile, which is complete only without mistakes.
        guard context.mistakes.isEmpty else { throw root.consequence() }
        _ = context.attempt(try checkAdvertisement(of: profile, file["advertise"] ?? root))
        warnOfPairing(profile, file["pairing"] ?? root)
        CrossChecks(profile, drafts: drafts).run(file["scenario"] ?? root, recording: file["recording"])
        return profile
    }

    private static func localName(_ node: FileNode) throws(FileMistake) -> String {
        let name = try node.text("the name to be advertised")
        guard possibleNameLengths.contains(name.utf8.count) else {
            throw node.fail("name too long: \(name.utf8.count) bytes (limit 26, to fit in an advertisement)")
        }
        return name
    }

    // MARK: Pairing

    private static func pairing(_ node: FileNode) throws(FileMistake) -> PairingProfile {
        let members = try node.mapping(of: "pairing", keys: ProfileKeys.pairing)
        let choices = CBPairingCapability.allCases.map { ($0.rawValue, $0) }
        let capability = try members.required("io").choice(of: "io", among: choices)
        var pairing = PairingProfile(capability)
        if let node = members["passkey"] {
            guard let passkey = CBPasskey(try node.text("a passkey")) else {
                throw node.fail(expecting: "a passkey: six digits")
            }
            guard capability.canEnter else {
                throw node.fail(
                    "the kernel chooses the digits that are shown; a passkey is what io keyboard or keyboard-display "
                        + "enters")
            }
            pairing.passkey = passkey
        }
        return pairing
    }

    /// Without a way to authenticate a link, what needs one can never be used.
    private static func warnOfPairing(_ profile: PeripheralProfile, _ node: FileNode) {
        guard profile.pairing?.capability.canAuthenticate != true else { return }
        for service in profile.services {
            for characteristic in service.characteristics
            where !characteristic.authentication.union(characteristic.secureConnections).isEmpty {
                return node.warn(
                    "\(service.name)/\(characteristic.name) requires an authenticated link, which requires pairing with io "
                        + "display, yes-no, keyboard or keyboard-display")
            }
        }
    }

    // MARK: Names and UUIDs

    /// A service, read only for its names and UUIDs.
    struct ServiceDraft {
        let name: DraftName
        let uuid: String
        let isPrimary: Bool
        let isAdvertised: Bool
        let isPublished: Bool
        /// Whose characteristics it has, and no others.
        let standard: StandardService?
        let security: StandardSecurity
        let characteristics: [CharacteristicDraft]

        /// What others can refer to.
        var references: [AttributeIndex.Characteristic] {
            if let standard {
                return standard.profile.characteristics.map {
                    .init(path: CharacteristicPath(name.text, $0.name), uuid: $0.uuid, properties: $0.properties)
                }
            }
            return characteristics.map {
                .init(path: CharacteristicPath(name.text, $0.name.text), uuid: $0.uuid, properties: $0.properties)
            }
        }
    }

    struct CharacteristicDraft {
        let name: DraftName
        let uuid: String
        let properties: CBCharacteristicProperties
        let members: FileMapping
    }

    struct DraftName {
        let text: String
        /// Where it is written; the attribute if it is not written.
        let node: FileNode
        let isWritten: Bool
    }

    private static func drafts(_ nodes: [FileNode]) -> [ServiceDraft] {
        var drafts: [ServiceDraft] = []
        for node in nodes {
            if let draft = node.context.attempt(try serviceDraft(node)) { drafts.append(draft) }
        }
        checkNames(drafts.map { ($0.name, $0.uuid) }, "services")
        return drafts
    }

    private static func serviceDraft(_ node: FileNode) throws(FileMistake) -> ServiceDraft {
        let context = node.context
        let members = try node.mapping(of: "a service", keys: ProfileKeys.service)
        let kind = context.attempt(try members.exactlyOne(of: ProfileKeys.serviceKinds))
        let standard = kind?.key == "standard" ? context.attempt(try kind.flatMap(standardService)) : nil
        if standard != nil, let node = members["characteristics"] {
            context.note(node.fail("a standard service has its own characteristics"))
        }
        let security = context.attempt(try standardSecurity(of: members, isStandard: kind?.key == "standard")) ?? .open
        let written = kind?.key == "uuid" ? context.attempt(try kind.map(\.value).map(serviceUUID)) : nil
        let uuid = standard?.profile.uuid ?? written ?? ""
        let nodes = context.attempt(try members["characteristics"]?.list(of: "characteristics")) ?? []
        if nodes.count > possibleCounts.upperBound {
            context.note(node.fail("too many characteristics: \(nodes.count) (limit \(possibleCounts.upperBound))"))
        }
        var characteristics: [CharacteristicDraft] = []
        for node in nodes.prefix(possibleCounts.upperBound) {
            if let draft = context.attempt(try characteristicDraft(node)) { characteristics.append(draft) }
        }
        checkNames(characteristics.map { ($0.name, $0.uuid) }, "characteristics")
        return ServiceDraft(
            name: name(of: members, uuid, .service), uuid: uuid,
            isPrimary: context.attempt(try members["primary"]?.flag()) ?? true,
            isAdvertised: context.attempt(try members["advertised"]?.flag()) ?? false,
            isPublished: context.attempt(try members["published"]?.flag()) ?? true, standard: standard,
            security: security, characteristics: characteristics)
    }

    private static func standardService(_ member: FileMapping.Member) throws(FileMistake) -> StandardService {
        let known = StandardService.allCases.map { ($0.rawValue, $0) }
        return try member.value.choice(of: "standard service", among: known)
    }

    private static func standardSecurity(
        of members: FileMapping, isStandard: Bool
    ) throws(FileMistake) -> StandardSecurity? {
        guard let node = members["security"] else { return nil }
        guard isStandard else {
            throw node.fail("security is for a standard service; a characteristic has encrypted and authenticated")
        }
        return try node.choice(of: "security", among: StandardSecurity.allCases.map { ($0.rawValue, $0) })
    }

    private static func serviceUUID(_ node: FileNode) throws(FileMistake) -> String {
        let uuid = try AttributeUUID.read(node, .service)
        if ["1800", "1801"].contains(uuid) { throw node.fail("bluetoothd has the service \(uuid) itself") }
        return uuid
    }

    private static func characteristicDraft(_ node: FileNode) throws(FileMistake) -> CharacteristicDraft {
        let context = node.context
        let members = try node.mapping(of: "a characteristic", keys: ProfileKeys.characteristic)
        let uuid = context.attempt(try AttributeUUID.read(members.required("uuid"), .characteristic)) ?? ""
        // If the properties are unknown, none of them is missing.
        let properties = context.attempt(try properties(members.required("properties")))
        return CharacteristicDraft(
            name: name(of: members, uuid, .characteristic), uuid: uuid,
            properties: properties ?? CBCharacteristicProperties(CharacteristicReader.properties.map(\.1)),
            members: members)
    }

    private static func properties(_ node: FileNode) throws(FileMistake) -> CBCharacteristicProperties {
        var properties: CBCharacteristicProperties = []
        let nodes = try node.list(of: "properties")
        guard !nodes.isEmpty else { throw node.fail("a characteristic needs at least one property") }
        var isComplete = true
        for node in nodes {
            let read = node.context.attempt(try node.choice(of: "property", among: CharacteristicReader.properties))
            if let read { properties.insert(read) } else { isComplete = false }
        }
        guard isComplete else { throw node.consequence() }
        return properties
    }

    private static func name(
        of members: FileMapping, _ uuid: String, _ kind: AttributeKind
    ) -> DraftName {
        guard let node = members["name"], let text = node.context.attempt(try writtenName(node)) else {
            // Without a UUID that is one, what was written for it, for messages.
            let written = uuid.isEmpty ? (try? members["uuid"]?.text("")) ?? "?" : kind.defaultName(uuid)
            return DraftName(text: FileNode.shortened(written), node: members.node, isWritten: false)
        }
        return DraftName(text: text, node: node, isWritten: true)
    }

    static func writtenName(_ node: FileNode) throws(FileMistake) -> String {
        let text = try node.text("a name")
        guard text.utf8.count <= 64, text.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw node.fail(expecting: "a name of at most 64 letters, digits, hyphens, dots and underscores")
        }
        return text
    }

    private static func checkNames(_ names: [(name: DraftName, uuid: String)], _ what: String) {
        // Without a UUID and a name it is not known what it is called.
        let names = names.filter { !$0.uuid.isEmpty || $0.name.isWritten }
        for (index, entry) in names.enumerated() {
            guard let first = names[..<index].first(where: { $0.name.text == entry.name.text }) else { continue }
            let line = first.name.node.data.place.map { " (line \($0.line))" } ?? ""
            entry.name.node.context.note(
                entry.name.node.fail(
                    first.name.isWritten && entry.name.isWritten
                        ? "duplicate name\(line)"
                        : "duplicate UUID \(entry.uuid)\(line): give each of these \(what) a name, so that it is clear "
                            + "which one is meant"))
        }
    }

    // MARK: Advertising

    private static func advertisement(_ node: FileNode) throws(FileMistake) -> ExtraAdvertisement {
        let members = try node.mapping(of: "an advertisement", keys: ProfileKeys.advertisement)
        var advertisement = ExtraAdvertisement()
        let context = node.context
        if let node = members["manufacturer"] {
            advertisement.manufacturers = context.attempt(try manufacturers(node)) ?? []
        }
        advertisement.hasTxPower = context.attempt(try members["tx-power"]?.flag()) ?? false
        if let node = members["interval"] {
            advertisement.interval = context.attempt(
                try node.seconds(within: ExtraAdvertisement.possibleIntervals))
        }
        for member in context.attempt(try members["service-data"]?.anyMapping(of: "the services' data"))?.members ?? []
        {
            let uuid = context.attempt(try AttributeUUID.read(member.keyNode, .service))
            let data = context.attempt(try member.value.value(maximumLength: 24))
            if let uuid { advertisement.serviceData[uuid] = data }
        }
        return advertisement
    }

    /// One, or a list of them.
    private static func manufacturers(_ node: FileNode) throws(FileMistake) -> [ExtraAdvertisement.Manufacturer] {
        guard node.isList else { return [try manufacturer(node)] }
        let items = try node.list(of: "manufacturers")
        guard possibleManufacturers ~= items.count else {
            throw node.fail("expected \(possibleManufacturers) manufacturers")
        }
        var all: [ExtraAdvertisement.Manufacturer] = []
        for item in items {
            guard let manufacturer = node.context.attempt(try manufacturer(item)) else { continue }
            if all.contains(where: { $0.company == manufacturer.company }) {
                node.context.note(item.fail("duplicate company"))
            }
            all.append(manufacturer)
        }
        return all
    }

    private static func manufacturer(_ node: FileNode) throws(FileMistake) -> ExtraAdvertisement.Manufacturer {
        let members = try node.mapping(of: "manufacturer data", keys: ProfileKeys.manufacturer)
        let data = node.context.attempt(try members["data"]?.value(maximumLength: 24)) ?? []
        let company = try number(members.required("company"), of: .company, "a company", hint: ", 0xFFFF for tests")
        return .init(company: company, data: data)
    }

    /// A number of 16 bits, or what it has as its assigned name.
    private static func number(
        _ node: FileNode, of kind: AssignedKind, _ what: String, hint: String
    ) throws(FileMistake) -> UInt16 {
        let written = try node.text("\(what): its number from 0 to 65535, or its name")
        if written.utf8.allSatisfy({ $0 < 0x3A }) || written.hasPrefix("0x") {
            return UInt16(truncatingIfNeeded: try node.integer(in: 0...0xFFFF))
        }
        guard let number = kind.number(named: written) else {
            let known = kind.all.map(\.typedName)
            throw node.fail(
                "invalid \(kind.rawValue) \"\(FileNode.shortened(written))\""
                    + Suggestion.text(for: TypedName.text(written), among: known)
                    + "; expected a number from 0 to 65535\(hint), or a name listed by dittojay names --kind \(kind.rawValue)"
            )
        }
        return number
    }

    private static func checkAdvertisement(of profile: PeripheralProfile, _ root: FileNode) throws(FileMistake) {
        let uuids = Set(profile.services.filter(\.isAdvertised).map(\.uuid))
        let short = uuids.filter { $0.utf8.count == 4 }.count
        let long = uuids.count - short
        let length =
            profile.advertisement.length + (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0)
        guard length <= advertisementRoom else {
            throw root.fail(
                "advertising data too long: \(length) bytes (limit \(advertisementRoom)): a list of UUIDs takes "
                    + "2 and 2 or 16 for each, data take their length and 4 or, for a long UUID, 18")
        }
    }
}
