/// A device address with its type, and the UUID that represents it in the public API.
///
/// Apple's identifiers are random and kept in a database. Here an identifier is computed from the address, reversibly,
/// so that it means the same in every process and on every machine and nothing has to be stored. It is a UUID of
/// version 8 (RFC 9562, 5.8):
///
///     48 bits   mixed address, bits 63 … 16
///      4 bits   version, 8
///     12 bits   mixed address, bits 15 … 4
///      2 bits   variant, 0b10
///      4 bits   mixed address, bits 3 … 0
///     58 bits   check, which distinguishes these from other UUIDs
///
/// The address is mixed so that identifiers of similar addresses look nothing alike and nobody takes them for
/// addresses. It is not a secret: whoever knows this type can decode them.
struct PeerIdentifier: Hashable, Swift.Sendable {
    /// The address in its lower 48 bits; the first byte of the text is the most significant.
    let address: UInt64
    /// Whether the address is a random one (static or private), not a public one given by the IEEE.
    let isRandom: Bool

    /// - Parameter text: six bytes as in `"AA:BB:CC:DD:EE:FF"`, in any letter case; nil is returned for anything else.
    init?(addressText text: String, isRandom: Bool) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var address: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let byte = UInt8(part, radix: 16) else {
                return nil
            }
            address = address << 8 | UInt64(byte)
        }
        self.address = address
        self.isRandom = isRandom
    }

    /// Decodes an identifier; nil for a UUID that was not made by this type.
    init?(_ uuid: UUID) {
        let bits = uuid.bits
        let mixed =
            UInt64(truncatingIfNeeded: bits >> 80) << 16 | UInt64(bits >> 64 & 0xFFF) << 4 | UInt64(bits >> 58 & 0xF)
        let plain = Mixing.unmix(mixed) ^ Self.key
        guard plain >> 49 == 0 else { return nil }
        address = plain & 0xFFFF_FFFF_FFFF
        isRandom = plain >> 48 == 1
        // Version, variant and check must all be what encoding yields.
        guard self.uuid == uuid else { return nil }
    }

    /// The identifier of the device.
    var uuid: UUID {
        let mixed = Mixing.mix((address | (isRandom ? 1 << 48 : 0)) ^ Self.key)
        let check = Mixing.mix(mixed ^ Self.checkKey) >> 6
        let high = mixed & ~0xFFFF | 0x8000 | mixed >> 4 & 0xFFF
        let low = 0b10 << 62 | (mixed & 0xF) << 58 | check
        return UUID(bits: UInt128(high) << 64 | UInt128(low))
    }

    /// The address as `"AA:BB:CC:DD:EE:FF"`.
    var addressText: String {
        stride(from: 40, through: 0, by: -8)
            .map { shift in
                let byte = String(address >> UInt64(shift) & 0xFF, radix: 16, uppercase: true)
                return byte.count == 1 ? "0" + byte : byte
            }
            .joined(separator: ":")
    }

    // The keys must never change: programs store identifiers.
    private static let key: UInt64 = 0x6469_7474_6F6A_6179  // "dittojay"
    private static let checkKey: UInt64 = 0x626C_7565_6A61_7900  // "bluejay", 0
}

/// A fixed permutation of the 64-bit numbers in which every input bit changes about half of the output bits.
///
/// Each step (fold a shifted copy in, multiply by an odd number) can be undone, so the whole can.
private enum Mixing {
    private static let shifts = (first: UInt64(32), second: UInt64(29), third: UInt64(32))
    private static let first: UInt64 = 0xD6E8_FEB8_6659_FD93
    private static let second: UInt64 = 0xA3B1_95D4_38A7_C4E5
    private static let inverseOfFirst = inverse(of: first)
    private static let inverseOfSecond = inverse(of: second)

    static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value ^= value >> shifts.first
        value &*= first
        value ^= value >> shifts.second
        value &*= second
        value ^= value >> shifts.third
        return value
    }

    static func unmix(_ value: UInt64) -> UInt64 {
        var value = value
        value = unfold(value, shifts.third)
        value &*= inverseOfSecond
        value = unfold(value, shifts.second)
        value &*= inverseOfFirst
        return unfold(value, shifts.first)
    }

    /// Undoes `value ^ value >> shift`.
    private static func unfold(_ value: UInt64, _ shift: UInt64) -> UInt64 {
        var result = value
        var distance = shift
        while distance < 64 {
            result ^= value >> distance
            distance += shift
        }
        return result
    }

    /// The inverse of an odd number modulo 2⁶⁴, by Newton's method: each round doubles the number of right bits, of
    /// which the number itself has three.
    private static func inverse(of odd: UInt64) -> UInt64 {
        var result = odd
        for _ in 0..<5 { result &*= 2 &- odd &* result }
        return result
    }
}
