/// The address of a device and its type. (Core Specification, Vol 6 Part B, 1.3)
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 48 bits of the address, and above them whether it is random: one number to compare and to hash.
    let bits: UInt64

    private static let mask: UInt64 = 0xFFFF_FFFF_FFFF

    package init(bits: UInt64, isRandom: Bool) {
        self.bits = bits & Self.mask | (isRandom ? Self.mask + 1 : 0)
    }

    /// An address from its six bytes, the most significant first, as it is written.
    public init(_ bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8), isRandom: Bool = false) {
        let high = UInt64(bytes.0) << 40 | UInt64(bytes.1) << 32 | UInt64(bytes.2) << 24
        let low = UInt64(bytes.3) << 16 | UInt64(bytes.4) << 8 | UInt64(bytes.5)
        self.init(bits: high | low, isRandom: isRandom)
    }

    /// An address as it is written: `00:AA:01:00:00:00`. `nil`: it is none.
    public init?(_ text: String, isRandom: Bool = false) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var bits: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let byte = UInt8(part, radix: 16) else {
                return nil
            }
            bits = bits << 8 | UInt64(byte)
        }
        self.init(bits: bits, isRandom: isRandom)
    }

    /// Whether the address is a random one, not a public one.
    public var isRandom: Bool { bits > Self.mask }

    /// The type as HCI has it: 0 is public, 1 is random.
    var type: UInt8 { isRandom ? 1 : 0 }

    /// As it is written: `00:AA:01:00:00:00`.
    public var description: String {
        var text = ""
        for place in stride(from: 40, through: 0, by: -8) {
            let byte = UInt8(truncatingIfNeeded: bits >> UInt64(place))
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + (place > 0 ? ":" : "")
        }
        return text
    }
}
