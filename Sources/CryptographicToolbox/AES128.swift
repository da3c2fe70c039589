/// Encrypts single blocks by AES with a key of 128 bits. (FIPS 197)
///
/// It is for LE Encrypt and resolvable addresses, with nothing to keep secret: its time depends on key and block. Its
/// tables are computed.
package struct AES128: Hashable, Sendable {
    /// Those of all rounds, a column of four bytes in each number.
    private let keys: [UInt32]

    /// - Parameter key: 16 bytes in the order of FIPS 197. Fewer are filled with zeros, more are ignored.
    package init(key: [UInt8]) {
        var keys = Self.columns(key)
        keys.reserveCapacity(44)
        var constant: UInt8 = 1
        for place in 4..<44 {
            var word = keys[place - 1]
            if place % 4 == 0 {
                word = Self.substituted(word << 8 | word >> 24) ^ UInt32(constant) << 24
                constant = Self.doubled(constant)
            }
            keys.append(keys[place - 4] ^ word)
        }
        self.keys = keys
    }

    /// The cipher of a block of 16 bytes, both in the order of FIPS 197. Shorter ones are filled with zeros.
    package func encrypt(_ block: [UInt8]) -> [UInt8] {
        let columns = Self.columns(block)
        let cipher = encrypt(columns[0], columns[1], columns[2], columns[3])
        return [cipher.0, cipher.1, cipher.2, cipher.3].flatMap { column in
            [column >> 24, column >> 16, column >> 8, column].map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    /// The same, of four columns of four bytes.
    func encrypt(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, UInt32, UInt32, UInt32) {
        let table = Self.products
        var (a, b, c, d) = (a ^ keys[0], b ^ keys[1], c ^ keys[2], d ^ keys[3])
        for place in stride(from: 4, to: 40, by: 4) {
            (a, b, c, d) = (
                Self.mixed(a, b, c, d, table) ^ keys[place], Self.mixed(b, c, d, a, table) ^ keys[place + 1],
                Self.mixed(c, d, a, b, table) ^ keys[place + 2], Self.mixed(d, a, b, c, table) ^ keys[place + 3]
            )
        }
        return (
            Self.shifted(a, b, c, d) ^ keys[40], Self.shifted(b, c, d, a) ^ keys[41],
            Self.shifted(c, d, a, b) ^ keys[42], Self.shifted(d, a, b, c) ^ keys[43]
        )
    }

    /// Four columns of four bytes.
    private static func columns(_ bytes: [UInt8]) -> [UInt32] {
        var columns: [UInt32] = [0, 0, 0, 0]
        for (place, byte) in bytes.prefix(16).enumerated() {
            columns[place / 4] |= UInt32(byte) << UInt32(24 - 8 * (place % 4))
        }
        return columns
    }

    /// A column after SubBytes, ShiftRows and MixColumns: row r comes from the column r places to the right.
    private static func mixed(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ table: [UInt32]) -> UInt32 {
        let (first, second) = (table[Int(a >> 24)], table[Int(b >> 16 & 0xFF)])
        let (third, fourth) = (table[Int(c >> 8 & 0xFF)], table[Int(d & 0xFF)])
        return first ^ (second >> 8 | second << 24) ^ (third >> 16 | third << 16) ^ (fourth >> 24 | fourth << 8)
    }

    /// The same without MixColumns, as in the last round.
    private static func shifted(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
        substituted(a & 0xFF00_0000 | b & 0xFF_0000 | c & 0xFF00 | d & 0xFF)
    }

    private static func substituted(_ column: UInt32) -> UInt32 {
        var result: UInt32 = 0
        for shift: UInt32 in [24, 16, 8, 0] {
            result |= UInt32(substitutes[Int(column >> shift & 0xFF)]) << shift
        }
        return result
    }

    /// Twice a byte in the field of 256 elements.
    private static func doubled(_ byte: UInt8) -> UInt8 {
        byte << 1 ^ (byte & 0x80 != 0 ? 0x1B : 0)
    }

    /// The S-box: the inverse in the field, and then an affine map. (FIPS 197, 5.1.1)
    private static let substitutes: [UInt8] = {
        // 3 generates the field: the inverse of its n-th power is its power 255 − n.
        var powers: [UInt8] = [1]
        while powers.count < 255 { powers.append(powers[powers.count - 1] ^ doubled(powers[powers.count - 1])) }
        var table = [UInt8](repeating: 0x63, count: 256)
        for (exponent, power) in powers.enumerated() {
            let inverse = powers[(255 - exponent) % 255]
            for turn: UInt8 in 0...4 { table[Int(power)] ^= inverse << turn | inverse >> (8 - turn) }
        }
        return table
    }()

    /// What a byte of the first row adds to its column in MixColumns: 2, 1, 1 and 3 times its substitute.
    private static let products: [UInt32] = substitutes.map { byte in
        let twice = doubled(byte)
        let (high, low) = (UInt32(twice) << 24 | UInt32(byte) << 16, UInt32(byte) << 8 | UInt32(twice ^ byte))
        return high | low
    }
}
