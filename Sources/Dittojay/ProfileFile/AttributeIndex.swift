import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import PlainText

/// The names that one part of a profile refers to another by.
struct AttributeIndex {
    struct Characteristic {
        let path: CharacteristicPath
        let uuid: String
        let properties: CBCharacteristicProperties
    }

    private let services: [(name: String, uuid: String)]
    private let characteristics: [Characteristic]
    /// The numbers of the characteristics with this UUID, of 36 characters, or this name, as it is typed. A file can
    /// have thousands of references to thousands of characteristics.
    private let numbers: [String: [Int]]
    /// Whether the name of some attribute is unknown because of a mistake.
    private let isIncomplete: Bool

    init(services: [(name: String, uuid: String)], characteristics: [Characteristic], isIncomplete: Bool = false) {
        self.services = services
        self.isIncomplete = isIncomplete
        self.characteristics = characteristics
        var numbers: [String: [Int]] = [:]
        for (number, characteristic) in characteristics.enumerated() {
            let keys = Set(
                [AttributePath(characteristic.uuid)?.characteristic.uuid].compactMap(\.self)
                    + [TypedName.text(characteristic.path.characteristic)])
            for key in keys { numbers[key, default: []].append(number) }
        }
        self.numbers = numbers
    }

    init(_ profile: PeripheralProfile) {
        self.init(
            services: profile.services.map { ($0.name, $0.uuid) },
            characteristics: profile.services.flatMap { service in
                service.characteristics.map {
                    Characteristic(
                        path: CharacteristicPath(service.name, $0.name), uuid: $0.uuid, properties: $0.properties)
                }
            })
    }

    /// The characteristic that a name means, if it is the only one.
    ///
    /// - Parameter service: where to look first, by the service's name.
    func characteristic(_ node: FileNode, near service: String?) throws(FileMistake) -> Characteristic {
        let written = try node.text("the name of a characteristic, as NAME or SERVICE/NAME")
        guard let path = AttributePath(written) else {
            throw node.fail(expecting: "the name of a characteristic, as NAME or SERVICE/NAME")
        }
        let keys = [path.characteristic.uuid, path.characteristic.name].compactMap(\.self)
        let matching = Set(keys.flatMap { numbers[$0] ?? [] }).sorted().map { characteristics[$0] }
        var found: [Characteristic]
        if let wanted = path.service {
            let names = services.filter { wanted.matches(uuid: $0.uuid, name: $0.name) }.map(\.name)
            found = matching.filter { names.contains($0.path.service) }
        } else {
            found = matching.filter { $0.path.service == service }
            if found.isEmpty { found = matching }
        }
        guard let only = found.first else {
            let names = characteristics.map(\.path.description)
            if isIncomplete { throw node.consequence() }
            let near = Suggestion.nearest(to: written, among: characteristics.map(\.path.characteristic) + names)
            throw node.fail(
                "unknown characteristic \"\(written)\"\(near.map { " (did you mean \"\($0)\"?)" } ?? "")"
                    + "; valid: \(names.joined(separator: ", "))")
        }
        guard found.count == 1 else {
            throw node.fail(
                "ambiguous characteristic \"\(written)\": \(found.map(\.path.description).joined(separator: ", "))")
        }
        return only
    }

    /// A characteristic that can be subscribed to.
    func sender(_ node: FileNode, near service: String?) throws(FileMistake) -> CharacteristicPath {
        let characteristic = try characteristic(node, near: service)
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw node.fail("\(characteristic.path) has neither the notify nor the indicate property")
        }
        return characteristic.path
    }

    /// The name of a service.
    func service(_ node: FileNode) throws(FileMistake) -> String {
        let written = try node.text("the name of a service")
        let part = AttributePath(written)?.characteristic
        let found = services.filter { part?.matches(uuid: $0.uuid, name: $0.name) ?? false }
        guard found.count == 1, let only = found.first else {
            let names = services.map(\.name)
            if isIncomplete, found.isEmpty { throw node.consequence() }
            let problem =
                found.isEmpty ? "unknown service \"\(written)\"" : "ambiguous service \"\(written)\""
            throw node.fail(
                "\(problem)\(Suggestion.text(for: written, among: names)); valid: \(names.joined(separator: ", "))")
        }
        return only.name
    }
}

/// UUIDs and assigned names as they are written in a file.
enum AttributeUUID {
    /// The UUID in 4 or 36 characters, upper case.
    static func read(_ node: FileNode, _ kind: AttributeKind) throws(FileMistake) -> String {
        let written = try node.text("a UUID")
        let hex = written.hasPrefix("0x") ? String(written.dropFirst(2)) : written
        if let uuid = CBUUID(validating: hex) { return uuid.profileText }
        if let number = kind.assigned.number(named: written) { return CBUUID(data: data(number)).profileText }
        let typed = TypedName.text(written)
        let own = OwnAttributes.all.filter { $0.kind == kind.assigned }
        if let uuid = own.first(where: { TypedName.text($0.name) == typed })?.uuid { return uuid }
        let known = kind.assigned.all.map(\.typedName) + own.map { TypedName.text($0.name) }
        throw node.fail(
            "\"\(written)\" is neither a UUID nor the assigned name of a \(kind.assigned.rawValue)"
                + Suggestion.text(for: typed, among: known)
                + "; expected 4 hexadecimal digits, 36 characters as in 12345678-1234-1234-1234-123456789ABC, or a name such as "
                + kind.example + " (dittojay names lists them)")
    }

    private static func data(_ number: UInt16) -> Data {
        Data([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
    }
}
