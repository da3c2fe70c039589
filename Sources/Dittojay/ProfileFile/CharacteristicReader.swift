import CoreBluetooth
import GATTProfiles

/// Makes a characteristic's profile of a YAML tree.
struct CharacteristicReader {
    private let draft: ProfileReader.CharacteristicDraft
    private let service: String
    private let index: AttributeIndex

    static let keys = [
        "name", "uuid", "properties", "encrypted", "value", "description", "format", "count-of", "write", "notify",
        "split", "chirps", "quiet", "faults",
    ]

    static let properties: [(String, CBCharacteristicProperties)] = [
        ("read", .read), ("write", .write), ("write-without-response", .writeWithoutResponse), ("notify", .notify),
        ("indicate", .indicate),
    ]

    init(_ draft: ProfileReader.CharacteristicDraft, service: String, index: AttributeIndex) {
        self.draft = draft
        self.service = service
        self.index = index
    }

    private var members: FileMapping { draft.members }

    func profile() throws(ProfileFileError) -> CharacteristicProfile {
        var profile = CharacteristicProfile(name: draft.name.text, uuid: draft.uuid, properties: draft.properties)
        if let node = members["encrypted"] { profile.encryption = try encryption(node, profile) }
        if let node = members["value"] { profile.initialValue = try node.value() }
        if let node = members["description"] {
            let text = try node.text("a text")
            guard text.utf8.count <= LabService.maximumValueLength else {
                throw node.fail("the text has more than \(LabService.maximumValueLength) bytes")
            }
            profile.userDescription = text
        }
        if let node = members["format"] { profile.presentationFormat = try format(node) }
        if let node = members["count-of"] {
            guard profile.properties.contains(.read) else { throw lacks(node, "read") }
            profile.source = .writeCount(of: try index.characteristic(node, near: service).path)
        }
        if let node = members["write"] {
            guard profile.isWriteable else { throw lacks(node, "write or write-without-response") }
            profile.writes = try writes(node, profile)
        } else if profile.isWriteable {
            profile.writes = WriteRules(effects: [.store])
        }
        if let node = members["notify"] {
            guard profile.notifies else { throw lacks(node, "notify or indicate") }
            profile.notifications = try NotificationReader.plan(node)
        }
        if let node = members["split"] {
            guard profile.notifies else { throw lacks(node, "notify or indicate") }
            profile.pieceSizes = try node.range(within: 1...LabService.maximumValueLength)
        }
        if let node = members["chirps"] {
            profile.chirps = try node.flag()
            guard profile.notifies || !profile.chirps else { throw lacks(node, "notify or indicate") }
        }
        profile.isQuiet = try members["quiet"]?.flag() ?? false
        if let node = members["faults"] {
            for fault in try node.list(of: "faults") {
                profile.faults.append(try FaultReader.fault(fault, of: index(of: profile), besides: []))
            }
        }
        return profile
    }

    private func index(of profile: CharacteristicProfile) -> AttributeIndex.Characteristic {
        .init(path: CharacteristicPath(service, profile.name), uuid: profile.uuid, properties: profile.properties)
    }

    private func lacks(_ node: FileNode, _ property: String) -> ProfileFileError {
        node.fail("the properties of \(service)/\(draft.name.text) do not have \(property)")
    }

    private func encryption(
        _ node: FileNode, _ profile: CharacteristicProfile
    ) throws(ProfileFileError) -> CharacteristicProfile.Encryption {
        var possible: CharacteristicProfile.Encryption = []
        if profile.properties.contains(.read) { possible.insert(.read) }
        if profile.isWriteable { possible.insert(.write) }
        if profile.notifies { possible.insert(.notify) }
        guard node.isList else { return try node.flag() ? possible : [] }
        var encryption: CharacteristicProfile.Encryption = []
        for element in try node.list(of: "read, write and notify") {
            let wanted = try element.choice(
                of: "use",
                among: [("read", CharacteristicProfile.Encryption.read), ("write", .write), ("notify", .notify)])
            guard possible.contains(wanted) else { throw lacks(element, try element.text("")) }
            encryption.insert(wanted)
        }
        return encryption
    }

    private func format(_ node: FileNode) throws(ProfileFileError) -> PresentationFormat {
        let formats = PresentationFormat.names.map { ($0.name, $0.format) }
        guard node.isMapping else { return PresentationFormat(format: try node.choice(of: "format", among: formats)) }
        let members = try node.mapping(of: "a presentation format", keys: ["type", "exponent", "unit"])
        var format = PresentationFormat(format: try members.required("type").choice(of: "format", among: formats))
        if let node = members["exponent"] {
            format.exponent = Int8(truncatingIfNeeded: try node.integer(in: -128...127))
        }
        if let node = members["unit"] {
            let written = try node.text("a unit")
            if written.hasPrefix("0x") {
                format.unit = UInt16(truncatingIfNeeded: try node.integer(in: 0...0xFFFF))
            } else {
                let units = PresentationFormat.unitNames.map { ($0.name, $0.unit) }
                format.unit = try node.choice(of: "unit (or a number such as 0x2763)", among: units)
            }
        }
        return format
    }

    private func writes(_ node: FileNode, _ profile: CharacteristicProfile) throws(ProfileFileError) -> WriteRules {
        let members = try node.mapping(of: "a write", keys: ["lengths", "store", "echo", "count", "when"])
        var rules = WriteRules()
        if let node = members["lengths"] { rules.lengths = try node.range(within: 0...LabService.maximumValueLength) }
        let hasOtherEffect = members["echo"] != nil || members["count"] != nil || members["when"] != nil
        if try members["store"]?.flag() ?? !hasOtherEffect { rules.effects.append(.store) }
        if try members["count"]?.flag() ?? false { rules.effects.append(.count) }
        if let node = members["echo"] { rules.effects.append(.echo(to: try index.sender(node, near: service))) }
        for element in try members["when"]?.list(of: "reactions") ?? [] {
            rules.reactions.append(try reaction(element, profile))
        }
        return rules
    }

    private func reaction(
        _ node: FileNode, _ profile: CharacteristicProfile
    ) throws(ProfileFileError) -> WriteReaction {
        let members = try node.mapping(of: "a reaction", keys: ["value", "prefix", "any", "do", "refuse"])
        let condition = try members.exactlyOne(of: ["value", "prefix", "any"])
        let match: WriteReaction.Match
        switch condition.key {
        case "value": match = .value(try condition.value.value())
        case "prefix": match = .prefix(try condition.value.value())
        default:
            guard try condition.value.flag() else { throw condition.value.fail(expecting: "true") }
            match = .any
        }
        let outcome = try members.exactlyOne(of: ["do", "refuse"])
        guard outcome.key == "refuse" else {
            return WriteReaction(match, .play(try StepReader(index, service: service).steps(outcome.value)))
        }
        let code = try outcome.value.attError()
        FaultReader.warn(outcome.value, code, on: .write, profile.hasItsWritesAnsweredByBlueZ)
        return WriteReaction(match, .refuse(attError: code))
    }
}
