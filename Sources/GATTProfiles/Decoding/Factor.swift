/// The factor of the number in a value: M, times 10 to the power d, times 2 to the power b. Specification: GATT
/// Specification Supplement, 2.3.
struct Factor: Hashable, Swift.Sendable {
    private var multiplier: UInt64 = 1
    private var decimalExponent = 0
    private var binaryExponent = 0
    /// The number is the exponent: 1.1 to the power N - 64 (Time Exponential 8).
    private var isExponential = false

    /// - Parameter text: `1,-2,0`, `exp11`, or nothing.
    init?(_ text: String) {
        guard !text.isEmpty else { return }
        guard text != "exp11" else {
            isExponential = true
            return
        }
        let parts = text.split(separator: ",").map { Int($0) }
        guard parts.count == 3, let multiplier = parts[0], let d = parts[1], let b = parts[2], multiplier > 0,
            (-18...18).contains(d), (-32...32).contains(b)
        else { return nil }
        self.multiplier = UInt64(multiplier)
        decimalExponent = d
        binaryExponent = b
    }

    /// The factor as a number; nil if the number in the value is an exponent.
    var number: Double? {
        guard !isExponential else { return nil }
        var value = Double(multiplier)
        for _ in 0..<abs(decimalExponent) { value = decimalExponent < 0 ? value / 10 : value * 10 }
        for _ in 0..<abs(binaryExponent) { value = binaryExponent < 0 ? value / 2 : value * 2 }
        return value
    }

    var isOne: Bool { !isExponential && multiplier == 1 && decimalExponent == 0 && binaryExponent == 0 }

    /// The product in decimal digits, with as many places as its resolution needs; nil if it is too large.
    func apply(toMagnitude number: UInt64, isNegative: Bool) -> String? {
        if isExponential {
            // 0 is 0 s, and no power.
            guard number > 0 else { return Decimals.text(0, places: 3) }
            var seconds = 1.0
            for _ in 0..<abs(Int(number.clamped(to: 255)) - 64) { seconds *= 1.1 }
            return Decimals.text(number < 64 ? 1 / seconds : seconds, places: 3)
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: multiplier)
        guard !overflow else { return nil }
        if binaryExponent == 0 {
            return Decimals.text(product, exponent: decimalExponent, isNegative: isNegative)
        }
        var value = Double(product)
        for _ in 0..<abs(binaryExponent) { value = binaryExponent < 0 ? value / 2 : value * 2 }
        for _ in 0..<abs(decimalExponent) { value = decimalExponent < 0 ? value / 10 : value * 10 }
        // Up to 1/8 exactly; four places distinguish 1/1024 from its neighbours.
        let bits = max(0, -binaryExponent)
        let places = bits <= 3 ? bits : (bits * 3 + 9) / 10 + 1
        return Decimals.text(isNegative ? -value : value, places: places + max(0, -decimalExponent))
    }
}

/// Numbers in decimal digits.
enum Decimals {
    /// A whole number, shifted by a number of places.
    static func text(_ magnitude: UInt64, exponent: Int, isNegative: Bool) -> String {
        let sign = isNegative && magnitude > 0 ? "-" : ""
        var digits = String(magnitude)
        guard exponent < 0 else {
            return sign + digits + (magnitude > 0 ? String(repeating: "0", count: exponent) : "")
        }
        let missing = 1 - exponent - digits.utf8.count
        if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
        return sign + digits.dropLast(-exponent) + "." + digits.suffix(-exponent)
    }

    /// - Parameter places: at most 12.
    static func text(_ value: Double, places: Int) -> String? {
        var scale = 1.0
        for _ in 0..<min(places, 12) { scale *= 10 }
        guard let scaled = Int64(exactly: (value * scale).rounded()) else { return nil }
        return text(scaled.magnitude, exponent: -min(places, 12), isNegative: scaled < 0)
    }
}

extension UInt64 {
    fileprivate func clamped(to limit: UInt64) -> UInt64 { Swift.min(self, limit) }
}
