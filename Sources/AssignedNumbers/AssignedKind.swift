/// What the Bluetooth SIG has assigned numbers of 16 bits to.
package enum AssignedKind: String, CaseIterable, Hashable, Swift.Sendable {
    case service, characteristic, descriptor, declaration, unit, appearance, company
    /// UUIDs that belong to a member of the SIG, or to another organization's specification. A member can have several.
    case member

    /// Those that are UUIDs of attributes.
    package static let attributes: [AssignedKind] = [.service, .characteristic, .descriptor, .declaration]

    var table: NameTable {
        switch self {
        case .service: NameTable(AssignedNames.services)
        case .characteristic: NameTable(AssignedNames.characteristics)
        case .descriptor: NameTable(AssignedNames.descriptors)
        case .declaration: NameTable(AssignedNames.declarations)
        case .unit: NameTable(AssignedNames.units)
        case .appearance: NameTable(AssignedNames.appearances)
        case .company: NameTable(AssignedNames.companies)
        case .member: NameTable(AssignedNames.members)
        }
    }

    // MARK: Looking up

    /// The name of a number, as the SIG writes it: `Heart Rate`.
    package func name(of number: UInt16) -> String? { table.name(of: number) }

    /// The lowest number with this name.
    ///
    /// - Parameter name: in any letter case, with or without hyphens: `Heart Rate`, `heart-rate`.
    package func number(named name: String) -> UInt16? {
        table.number(typed: Array(TypedName.text(name).utf8))
    }

    /// All, in the order of their numbers.
    package var all: [AssignedName] {
        var names: [AssignedName] = []
        table.forEach { number, name in
            names.append(AssignedName(kind: self, number: number, name: String(decoding: name, as: UTF8.self)))
        }
        return names
    }
}

/// A number and its name.
package struct AssignedName: Hashable, Swift.Sendable {
    package let kind: AssignedKind
    package let number: UInt16
    /// As the SIG writes it: `Heart Rate`.
    package let name: String

    package init(kind: AssignedKind, number: UInt16, name: String) {
        self.kind = kind
        self.number = number
        self.name = name
    }

    /// As it is typed: `heart-rate`.
    package var typedName: String { TypedName.text(name) }

    /// The number in four hexadecimal digits: `180D`.
    package var digits: String { Self.digits(of: number) }

    /// A number in four hexadecimal digits.
    package static func digits(of number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// The name of the service, characteristic, descriptor or declaration whose UUID has these 16 bits.
    package static func attribute(_ number: UInt16) -> String? {
        for kind in AssignedKind.attributes {
            if let name = kind.name(of: number) { return name }
        }
        return nil
    }
}
