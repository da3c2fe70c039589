/// A device's address on the air.
package struct DeviceAddress: Hashable, Sendable {
    /// In the order in which people write them, in the lowest 48 bits.
    package let number: UInt64
    package let isRandom: Bool

    package init(number: UInt64, isRandom: Bool) {
        self.number = number & 0xFFFF_FFFF_FFFF
        self.isRandom = isRandom
    }

    /// - Parameter bytes: six, as they are sent: the last one first.
    init(_ bytes: ArraySlice<UInt8>, isRandom: Bool) {
        self.init(number: ByteOrder.little.number(bytes.prefix(6)), isRandom: isRandom)
    }

    /// `C4:64:E3:12:34:56`; nil if the text is not an address.
    package init?(_ text: String, isRandom: Bool = false) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.filter { $0.utf8.count == 2 }.compactMap { UInt8($0, radix: 16) }
        guard parts.count == 6, numbers.count == 6 else { return nil }
        self.init(number: ByteOrder.big.number(numbers[...]), isRandom: isRandom)
    }

    /// As people write them, from the first byte on.
    package var bytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: number >> UInt64(40 - 8 * $0)) }
    }

    /// Whether it changes by itself, and only who has the device's key knows whose it is. Specification: Core 5.4,
    /// Vol 6, Part B, 1.3.2.2.
    package var isResolvable: Bool { isRandom && number >> 46 == 0b01 }
}

extension DeviceAddress: CustomStringConvertible {
    /// `C4:64:E3:12:34:56`
    package var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
