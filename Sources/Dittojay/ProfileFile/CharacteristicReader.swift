import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import PlainText

/// Makes a characteristic's profile from a YAML tree.
struct CharacteristicReader {
    private let draft: ProfileReader.CharacteristicDraft
    private let service: String
    private let index: AttributeIndex

    static let properties: [(String, CBCharacteristicProperties)] = [
        ("read", .read), ("write", .write), ("write-without-response", .writeWithoutResponse), ("notify", .notify),
        ("indicate", .indicate),
    ]

    static let encryptedUses: [(String, CharacteristicProfile.Encryption)] = [
        ("read", .read), ("write", .write), ("notify", .notify),
    ]

    init(_ draft: ProfileReader.CharacteristicDraft, service: String, index: AttributeIndex) {
        self.draft = draft
        self.service = service
        self.index = index
    }

    private var members: FileMapping { draft.members }

    func profile() throws(FileMistake) -> CharacteristicProfile {
        var profile = CharacteristicProfile(name: draft.name.text, uuid: draft.uuid, properties: draft.properties)
        let context = members.node.context
        if let node = members["encrypted"] { profile.encryption = context.attempt(try uses(node, profile)) ?? [] }
        if let node = members["authenticated"] {
            profile.authentication = context.attempt(try uses(node, profile)) ?? []
        }
        if let node = members["secure-connections"] {
            profile.secureConnections = context.attempt(try uses(node, profile)) ?? []
        }
        profile.initialValue = context.attempt(try members["value"]?.value()) ?? []
        if let node = members["description"] { profile.userDescription = context.attempt(try description(node)) }
        if let node = members["format"] { profile.presentationFormat = context.attempt(try format(node)) }
        for node in context.attempt(try members["descriptors"]?.list(of: "descriptors")) ?? [] {
            if let descriptor = context.attempt(try descriptor(node)) { profile.copiedDescriptors.append(descriptor) }
        }
        if let node = members["count-of"], let path = context.attempt(try counted(node, profile)) {
            profile.source = .writeCount(of: path)
        }
        if let node = members["psm-of"], let name = context.attempt(try node.text("the name of an L2CAP channel")) {
            _ = context.attempt(try check("psm-of", profile.properties.contains(.read), "read"))
            profile.source = .psm(of: name)
        }
        if let node = members["write"] {
            profile.writes = context.attempt(try writes(node, profile))
        } else if profile.isWriteable {
            profile.writes = WriteRules(effects: [.store])
        }
        if let node = members["notify"] {
            _ = context.attempt(try check("notify", profile.notifies, "notify or indicate"))
            profile.notifications = context.attempt(try NotificationReader.plan(node))
        }
        if let node = members["split"] {
            _ = context.attempt(try check("split", profile.notifies, "notify or indicate"))
            profile.pieceSizes = context.attempt(try node.range(within: 1...LabService.maximumValueLength))
        }
        if let node = members["chirps"] {
            profile.chirps = context.attempt(try node.flag()) ?? false
            _ = context.attempt(try check("chirps", profile.notifies || !profile.chirps, "notify or indicate"))
        }
        profile.isQuiet = context.attempt(try members["quiet"]?.flag()) ?? false
        for fault in context.attempt(try members["faults"]?.list(of: "faults")) ?? [] {
            let fault = context.attempt(try FaultReader.fault(fault, of: index(of: profile), besides: []))
            if let fault { profile.faults.append(fault) }
        }
        return profile
    }

    private func description(_ node: FileNode) throws(FileMistake) -> String {
        let text = try node.text("a text")
        guard text.utf8.count <= LabService.maximumValueLength else {
            throw node.fail("text too long (limit \(LabService.maximumValueLength) bytes)")
        }
        return text
    }

    private func descriptor(_ node: FileNode) throws(FileMistake) -> CopiedDescriptor {
        let members = try node.mapping(of: "a descriptor", keys: ProfileKeys.descriptor)
        let value = node.context.attempt(try members["value"]?.value()) ?? []
        let place = try members.required("uuid")
        let uuid = try AttributeUUID.read(place, .descriptor)
        switch uuid {
        case "2901": throw place.fail("use description instead of the descriptor 2901")
        case "2904": throw place.fail("use format instead of the descriptor 2904")
        case "2900", "2902", "2903": throw place.fail("bluetoothd makes the descriptor \(uuid) of the properties")
        default: return CopiedDescriptor(uuid: uuid, value: value)
        }
    }

    /// The characteristic whose writes are counted.
    private func counted(
        _ node: FileNode, _ profile: CharacteristicProfile
    ) throws(FileMistake) -> CharacteristicPath {
        try check("count-of", profile.properties.contains(.read), "read")
        return try index.characteristic(node, near: service).path
    }

    /// Checks that the properties are those that a key needs.
    private func check(_ key: String, _ hasProperty: Bool, _ property: String) throws(FileMistake) {
        if !hasProperty { throw lacks(members.place(of: key) ?? members.node, property) }
    }

    private func index(of profile: CharacteristicProfile) -> AttributeIndex.Characteristic {
        .init(path: CharacteristicPath(service, profile.name), uuid: profile.uuid, properties: profile.properties)
    }

    private func lacks(_ node: FileNode, _ property: String) -> FileMistake {
        node.fail("the properties of \(service)/\(draft.name.text) do not include \(property)")
    }

    private func uses(
        _ node: FileNode, _ profile: CharacteristicProfile
    ) throws(FileMistake) -> CharacteristicProfile.Encryption {
        let possible = profile.possibleUses
        guard node.isList else { return try node.flag() ? possible : [] }
        var uses: CharacteristicProfile.Encryption = []
        for element in try node.list(of: "read, write and notify") {
            let read = element.context.attempt(try element.choice(of: "use", among: Self.encryptedUses))
            guard let wanted = read else { continue }
            guard possible.contains(wanted) else { throw lacks(element, try element.text("")) }
            uses.insert(wanted)
        }
        return uses
    }

    private func format(_ node: FileNode) throws(FileMistake) -> PresentationFormat {
        let formats = PresentationFormat.names.map { ($0.name, $0.format) }
        guard node.isMapping else { return PresentationFormat(format: try node.choice(of: "format", among: formats)) }
        let members = try node.mapping(of: "a presentation format", keys: ProfileKeys.format)
        let context = node.context
        let exponent = context.attempt(try members["exponent"]?.integer(in: -128...127)) ?? 0
        var read: UInt16?
        if let node = members["unit"] { read = context.attempt(try unit(node)) }
        var format = PresentationFormat(format: try members.required("type").choice(of: "format", among: formats))
        format.exponent = Int8(truncatingIfNeeded: exponent)
        if let read { format.unit = read }
        return format
    }

    /// One of the short names, an assigned name as a whole or what is in its parentheses, or a number.
    private func unit(_ node: FileNode) throws(FileMistake) -> UInt16 {
        let written = try node.text("a unit")
        if written.hasPrefix("0x") { return UInt16(truncatingIfNeeded: try node.integer(in: 0...0xFFFF)) }
        guard let number = PresentationFormat.unit(named: written) else {
            throw node.fail(
                "invalid unit \"\(FileNode.shortened(written))\""
                    + Suggestion.text(for: TypedName.text(written), among: PresentationFormat.allUnitNames)
                    + "; expected a name such as celsius, percent or hectare (dittojay names --kind unit), or a number such as "
                    + "0x272F")
        }
        return number
    }

    private func writes(_ node: FileNode, _ profile: CharacteristicProfile) throws(FileMistake) -> WriteRules {
        let context = node.context
        _ = context.attempt(try check("write", profile.isWriteable, "write or write-without-response"))
        let members = try node.mapping(of: "a write", keys: ProfileKeys.write)
        var rules = WriteRules()
        if let range = context.attempt(try members["lengths"]?.range(within: 0...LabService.maximumValueLength)) {
            rules.lengths = range
        }
        let hasOtherEffect = members["echo"] != nil || members["count"] != nil || members["when"] != nil
        if context.attempt(try members["store"]?.flag()) ?? !hasOtherEffect { rules.effects.append(.store) }
        if context.attempt(try members["count"]?.flag()) ?? false { rules.effects.append(.count) }
        if let node = members["echo"], let path = context.attempt(try index.sender(node, near: service)) {
            rules.effects.append(.echo(to: path))
        }
        for element in context.attempt(try members["when"]?.list(of: "reactions")) ?? [] {
            if let reaction = context.attempt(try reaction(element, profile)) { rules.reactions.append(reaction) }
        }
        return rules
    }

    private func reaction(
        _ node: FileNode, _ profile: CharacteristicProfile
    ) throws(FileMistake) -> WriteReaction {
        let members = try node.mapping(of: "a reaction", keys: ProfileKeys.conditions + ProfileKeys.outcomes)
        let match = node.context.attempt(try MatchReader.match(members.exactlyOne(of: ProfileKeys.conditions)))
        let outcome = try members.exactlyOne(of: ProfileKeys.outcomes)
        guard outcome.key == "refuse" else {
            let steps = try StepReader(index, service: service, isReaction: true).steps(outcome.value)
            guard let match else { throw node.consequence() }
            return WriteReaction(match, .play(steps))
        }
        let code = try outcome.value.attError()
        guard let match else { throw node.consequence() }
        FaultReader.warn(outcome.value, code, on: .write, profile.hasItsWritesAnsweredByBlueZ)
        return WriteReaction(match, .refuse(attError: code))
    }
}
