/// An iBeacon's advertisement: the data of manufacturer 0x004C. Source: Apple, Proximity Beacon Specification R1.
package struct IBeacon: Hashable, Swift.Sendable {
    /// Apple's number.
    package static let company: UInt16 = 0x004C

    /// Whose beacons they are, in 36 characters.
    package var uuid: String
    /// A group of them.
    package var major: UInt16
    /// One of the group.
    package var minor: UInt16
    /// The signal strength a metre away, in dBm.
    package var measuredPower: Int8

    /// - Parameter uuid: in 36 characters, in any letter case.
    package init(uuid: String, major: UInt16, minor: UInt16, measuredPower: Int8) {
        self.uuid = uuid.uppercased()
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// The type, and how many bytes follow.
    private static let header: [UInt8] = [0x02, 0x15]

    /// Decodes the data after the manufacturer's number; nil if they are another kind's.
    package init?(data: some Collection<UInt8>) {
        let bytes = Array(data)
        guard bytes.count == 23, bytes.starts(with: Self.header) else { return nil }
        let digits = ValueText.hex(bytes[2..<18]).uppercased()
        var (parts, rest): ([Substring], Substring) = ([], digits[...])
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        self.init(
            uuid: parts.joined(separator: "-"), major: UInt16(bytes[18]) << 8 | UInt16(bytes[19]),
            minor: UInt16(bytes[20]) << 8 | UInt16(bytes[21]), measuredPower: Int8(bitPattern: bytes[22]))
    }

    /// The data after the manufacturer's number. Other than in GATT, the most significant byte comes first.
    package var data: [UInt8] {
        let digits = uuid.filter(\.isHexDigit)
        let identifier = (try? ValueText.parseHex(digits)) ?? []
        return Self.header + identifier
            + [UInt8(major >> 8), UInt8(major & 0xFF), UInt8(minor >> 8), UInt8(minor & 0xFF)]
            + [UInt8(bitPattern: measuredPower)]
    }

    /// For people: `ibeacon 426C7565-…, major 1, minor 2, -59 dBm at 1 m`.
    package var text: String { "ibeacon \(uuid), major \(major), minor \(minor), \(measuredPower) dBm at 1 m" }
}
