// UUIDs are compared, shortened and mixed as 128-bit numbers, most significant byte first.

extension UInt128 {
    /// The 16 bytes of the number, the most significant first.
    var bigEndianData: Data {
        withUnsafeBytes(of: bigEndian) { Data($0) }
    }
}

extension UUID {
    /// The UUID as a number.
    var bits: UInt128 {
        withUnsafeBytes(of: uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// The UUID that is written as this number.
    init(bits: UInt128) {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { target in
            withUnsafeBytes(of: bits.bigEndian) { target.copyMemory(from: $0) }
        }
        self.init(uuid: bytes)
    }
}
