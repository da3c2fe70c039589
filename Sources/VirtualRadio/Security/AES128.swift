/// Encrypts single blocks by AES with a key of 128 bits. (FIPS 197)
///
/// It is for LE Encrypt and resolvable addresses: a few blocks now and then, with nothing to keep secret. Its table is
/// computed, and its time depends on the key.
enum AES128 {
    /// The cipher of a block of 16 bytes, both in the order of FIPS 197. Shorter ones are filled with zeros.
    static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8] {
        let keys = roundKeys(filled(key))
        var state = filled(block)
        add(keys[0..<16], to: &state)
        for round in 1...10 {
            for place in 0..<16 { state[place] = substitutes[Int(state[place])] }
            shiftRows(&state)
            if round < 10 { mixColumns(&state) }
            add(keys[16 * round..<16 * round + 16], to: &state)
        }
        return state
    }

    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes.prefix(16)) + [UInt8](repeating: 0, count: max(0, 16 - bytes.count))
    }

    private static func roundKeys(_ key: [UInt8]) -> [UInt8] {
        var keys = key
        var constant: UInt8 = 1
        for place in stride(from: 16, to: 176, by: 4) {
            var word = Array(keys[place - 4..<place])
            if place % 16 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { substitutes[Int($0)] }
                word[0] ^= constant
                constant = doubled(constant)
            }
            for offset in 0..<4 { keys.append(keys[place - 16 + offset] ^ word[offset]) }
        }
        return keys
    }

    private static func add(_ key: ArraySlice<UInt8>, to state: inout [UInt8]) {
        for (place, byte) in key.enumerated() { state[place] ^= byte }
    }

    /// Row r, which is every fourth byte from r on, moves r places to the left.
    private static func shiftRows(_ state: inout [UInt8]) {
        let before = state
        for place in 0..<16 { state[place] = before[(place + 4 * (place % 4)) % 16] }
    }

    private static func mixColumns(_ state: inout [UInt8]) {
        for column in stride(from: 0, to: 16, by: 4) {
            let before = Array(state[column..<column + 4])
            let sum = before[0] ^ before[1] ^ before[2] ^ before[3]
            for row in 0..<4 { state[column + row] = before[row] ^ sum ^ doubled(before[row] ^ before[(row + 1) % 4]) }
        }
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
}
