import CryptographicToolbox

/// Resolvable private addresses. (Core Specification, Vol 6 Part B, 1.3.2.2)
extension IdentityResolvingKey {
    /// A new address.
    func makeAddress(_ random: inout RandomSource) -> DeviceAddress {
        let mask: UInt64 = 0x3F_FFFF
        var part: UInt64 = 0
        // At least one bit of the random part is 0, and one is 1.
        repeat { part = random.next() & mask } while part == 0 || part == mask
        let upper = 1 << 22 | part
        return DeviceAddress(bits: upper << 24 | hash(upper), isRandom: true)
    }

    func resolves(_ address: DeviceAddress) -> Bool { address.isResolvable && resolves(address.bits) }
}

extension DeviceAddress {
    /// Whether it is a resolvable private address, whatever its key is.
    var isResolvable: Bool { isRandom && bits >> 46 & 3 == 1 }
}
