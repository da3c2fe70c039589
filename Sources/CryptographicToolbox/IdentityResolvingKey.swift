/// An identity resolving key (IRK): it makes resolvable private addresses, and recognizes whether an address is one of
/// them. (Core Specification, Vol 6 Part B, 1.3.2.2; Vol 3 Part H, 2.2.2)
package struct IdentityResolvingKey: Hashable, Sendable {
    /// In the order of FIPS 197.
    package let bytes: [UInt8]
    private let cipher: AES128

    /// - Parameter bytes: 16, as HCI and the Security Manager have them, the least significant first.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes.reversed()
        cipher = AES128(key: self.bytes)
    }

    /// A key of zeros stands for none.
    package var isZero: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The function ah: 24 bits for the upper 24 bits of an address.
    package func hash(_ upper: UInt64) -> UInt64 {
        let columns = cipher.encrypt(0, 0, 0, UInt32(truncatingIfNeeded: upper & 0xFF_FFFF))
        return UInt64(columns.3 & 0xFF_FFFF)
    }

    /// Whether the key has made a resolvable private address.
    ///
    /// - Parameter address: its 48 bits, in the order in which it is written.
    package func resolves(_ address: UInt64) -> Bool { hash(address >> 24 & 0xFF_FFFF) == address & 0xFF_FFFF }
}
