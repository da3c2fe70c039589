/// A value that is one number: a little-endian integer, multiplied by a factor.
package struct ScaledNumber: Hashable, Swift.Sendable {
    /// In bytes, up to 8.
    package var width: Int
    /// Whether it can be negative.
    package var isSigned: Bool
    /// What the integer is multiplied by.
    package var scale: Double
    /// The unit, empty if there is none.
    package var unit: String
    /// What single numbers mean, if it has no unit.
    package var meanings: [UInt64: String] = [:]
    /// Integers that stand for something other than a number.
    package var specials: Set<UInt64> = []

    package init(width: Int, isSigned: Bool, scale: Double = 1, unit: String = "") {
        self.width = width
        self.isSigned = isSigned
        self.scale = scale
        self.unit = unit
    }

    /// The number in a value; nil if it has another length, or stands for something else.
    package func number(in bytes: some Collection<UInt8>) -> Double? {
        guard bytes.count == width, (1...8).contains(width) else { return nil }
        let raw = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard !specials.contains(raw) else { return nil }
        guard isSigned else { return Double(raw) * scale }
        let unused = Int64(64 - 8 * width)
        return Double((Int64(bitPattern: raw) << unused) >> unused) * scale
    }
}
