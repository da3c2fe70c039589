/// An identity resolving key: it makes resolvable private addresses, and recognizes whether an address is one of them.
/// (Core Specification, Vol 6 Part B, 1.3.2.2; Vol 3 Part H, 2.2.2)
struct IdentityResolvingKey: Equatable {
    /// In the order of FIPS 197.
    private let bytes: [UInt8]

    /// - Parameter bytes: as HCI has it, the least significant first.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes.reversed()
    }

    /// A key of zeros stands for none.
    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The function ah: 24 bits for the upper 24 bits of an address.
    func hash(_ upper: UInt64) -> UInt64 {
        let block = [UInt8](repeating: 0, count: 13) + [UInt8](bits: upper, count: 3).reversed()
        return AES128.encrypt(block, key: bytes).suffix(3).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A new address.
    func makeAddress(_ random: inout RandomSource) -> DeviceAddress {
        let mask: UInt64 = 0x3F_FFFF
        var part: UInt64 = 0
        // At least one bit of the random part is 0, and one is 1.
        repeat { part = random.next() & mask } while part == 0 || part == mask
        let upper = 1 << 22 | part
        return DeviceAddress(bits: upper << 24 | hash(upper), isRandom: true)
    }

    func resolves(_ address: DeviceAddress) -> Bool {
        address.isResolvable && hash(address.bits >> 24 & 0xFF_FFFF) == address.bits & 0xFF_FFFF
    }
}

extension DeviceAddress {
    /// Whether it is a resolvable private address, whatever its key is.
    var isResolvable: Bool { isRandom && bits >> 46 & 3 == 1 }
}
