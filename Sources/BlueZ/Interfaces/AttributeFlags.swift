package import DBus

/// What can be done with a characteristic or a descriptor, and what that takes (BlueZ: `Flags`, `doc/gatt-api.txt`).
package struct AttributeFlags: OptionSet, Hashable, Swift.Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let broadcast = AttributeFlags(bit: 0)
    package static let read = AttributeFlags(bit: 1)
    package static let writeWithoutResponse = AttributeFlags(bit: 2)
    package static let write = AttributeFlags(bit: 3)
    package static let notify = AttributeFlags(bit: 4)
    package static let indicate = AttributeFlags(bit: 5)
    package static let authenticatedSignedWrites = AttributeFlags(bit: 6)
    package static let extendedProperties = AttributeFlags(bit: 7)
    /// On an encrypted link only, as the others of this kind.
    package static let encryptRead = AttributeFlags(bit: 8)
    package static let encryptWrite = AttributeFlags(bit: 9)
    package static let encryptNotify = AttributeFlags(bit: 10)
    package static let encryptIndicate = AttributeFlags(bit: 11)
    /// On an authenticated link only, that of a pairing with a passkey or a comparison, as the others of this kind.
    package static let encryptAuthenticatedRead = AttributeFlags(bit: 12)
    package static let encryptAuthenticatedWrite = AttributeFlags(bit: 13)
    package static let encryptAuthenticatedNotify = AttributeFlags(bit: 14)
    package static let encryptAuthenticatedIndicate = AttributeFlags(bit: 15)
    /// On a link that is authenticated by LE Secure Connections only, as the others of this kind.
    package static let secureRead = AttributeFlags(bit: 16)
    package static let secureWrite = AttributeFlags(bit: 17)
    package static let secureNotify = AttributeFlags(bit: 18)
    package static let secureIndicate = AttributeFlags(bit: 19)

    /// BlueZ's names.
    private static let table: [(flag: AttributeFlags, name: String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
        (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
        (.encryptRead, "encrypt-read"), (.encryptWrite, "encrypt-write"), (.encryptNotify, "encrypt-notify"),
        (.encryptIndicate, "encrypt-indicate"), (.encryptAuthenticatedRead, "encrypt-authenticated-read"),
        (.encryptAuthenticatedWrite, "encrypt-authenticated-write"),
        (.encryptAuthenticatedNotify, "encrypt-authenticated-notify"),
        (.encryptAuthenticatedIndicate, "encrypt-authenticated-indicate"), (.secureRead, "secure-read"),
        (.secureWrite, "secure-write"), (.secureNotify, "secure-notify"), (.secureIndicate, "secure-indicate"),
    ]

    private init(bit: UInt32) { rawValue = 1 << bit }

    /// Names that are not known here are left out.
    package init(names: some Sequence<String>) {
        self = names.reduce(into: []) { flags, name in
            if let row = Self.table.first(where: { $0.name == name }) { flags.insert(row.flag) }
        }
    }

    /// As BlueZ names them.
    package var names: [String] {
        Self.table.filter { contains($0.flag) }.map(\.name)
    }

    /// Whether values can be sent without being asked for, on whatever kind of link.
    package var allowSubscribing: Bool {
        !isDisjoint(with: [
            .notify, .indicate, .encryptNotify, .encryptIndicate, .encryptAuthenticatedNotify,
            .encryptAuthenticatedIndicate, .secureNotify, .secureIndicate,
        ])
    }
}

extension AttributeFlags: BusType {
    package static var busSignature: Signature { [String].busSignature }
    package init?(busValue: BusValue) {
        guard let names = [String](busValue: busValue) else { return nil }
        self.init(names: names)
    }
    package var busValue: BusValue { names.busValue }
}
