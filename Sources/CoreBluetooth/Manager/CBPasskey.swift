/// Six digits that two devices pair with, or that their users compare. A Linux addition.
///
/// Specification: Bluetooth Core, Vol 3, Part H, 2.3.5.1.
public struct CBPasskey: Hashable, LosslessStringConvertible, Swift.Sendable {
    /// From 0 to 999,999.
    public let number: UInt32

    /// Nil if `number` has more than six digits.
    public init?(number: UInt32) {
        guard number <= 999_999 else { return nil }
        self.number = number
    }

    /// Takes one to six decimal digits; what is missing is zeros in front. Nil for anything else.
    public init?(_ description: String) {
        guard (1...6).contains(description.utf8.count),
            description.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt32(description)
        else { return nil }
        self.number = number
    }

    /// Always six digits: `001234`.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
