/// A number modulo the prime of P-256, 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1.
///
/// It is kept as its product with 2²⁵⁶, with which multiplication needs no division. (Montgomery, Modular
/// Multiplication Without Trial Division, 1985)
struct FieldElement: Equatable {
    /// The least significant first.
    typealias Words = SIMD4<UInt64>

    static let prime: Words = [0xFFFF_FFFF_FFFF_FFFF, 0x0000_0000_FFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001]
    static let zero = FieldElement(product: .zero)
    /// 2⁵¹² modulo the prime.
    private static let square: FieldElement = (0..<512).reduce(FieldElement(product: [1, 0, 0, 0])) { sum, _ in
        sum + sum
    }

    private let product: Words

    private init(product: Words) {
        self.product = product
    }

    /// A number that is less than the prime.
    init(_ words: Words) {
        self = FieldElement(product: words) * Self.square
    }

    var words: Words { (self * FieldElement(product: [1, 0, 0, 0])).product }

    static func isLess(_ left: Words, _ right: Words) -> Bool {
        subtract(left, right).isBelowZero
    }

    static func + (left: FieldElement, right: FieldElement) -> FieldElement {
        let (sum, hasCarry) = add(left.product, right.product)
        return FieldElement(product: reduced(sum, hasCarry))
    }

    static func - (left: FieldElement, right: FieldElement) -> FieldElement {
        let (difference, isBelowZero) = subtract(left.product, right.product)
        return FieldElement(product: isBelowZero ? add(difference, prime).sum : difference)
    }

    static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        var sum = SIMD8<UInt64>.zero
        for place in 0..<4 {
            var carry: UInt64 = 0
            for other in 0..<4 {
                (carry, sum[other]) = multiply(left.product[other], right.product[place], sum[other], carry)
            }
            let (top, hasCarry) = sum[4].addingReportingOverflow(carry)
            // Adding the prime that many times makes the lowest word zero, because that of the prime is 2⁶⁴ − 1.
            let times = sum[0]
            (carry, _) = multiply(times, prime[0], sum[0], 0)
            for other in 1..<4 {
                (carry, sum[other - 1]) = multiply(times, prime[other], sum[other], carry)
            }
            let (last, hasLastCarry) = top.addingReportingOverflow(carry)
            sum[3] = last
            sum[4] = (hasCarry ? 1 : 0) + (hasLastCarry ? 1 : 0)
        }
        return FieldElement(product: reduced(sum.lowHalf, sum[4] != 0))
    }

    /// By Fermat's little theorem: the power of the prime less 2.
    var inverse: FieldElement {
        let exponent = Self.subtract(Self.prime, [2, 0, 0, 0]).difference
        var result = FieldElement([1, 0, 0, 0])
        for place in stride(from: 255, through: 0, by: -1) {
            result = result * result
            if exponent[place / 64] >> UInt64(place % 64) & 1 == 1 { result = result * self }
        }
        return result
    }

    /// The two words of a · b + c + d, which always fits.
    private static func multiply(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> (high: UInt64, low: UInt64) {
        var (high, low) = a.multipliedFullWidth(by: b)
        let (first, hasFirst) = low.addingReportingOverflow(c)
        let (second, hasSecond) = first.addingReportingOverflow(d)
        high += (hasFirst ? 1 : 0) + (hasSecond ? 1 : 0)
        low = second
        return (high, low)
    }

    private static func reduced(_ words: Words, _ hasCarry: Bool) -> Words {
        let (difference, isBelowZero) = subtract(words, prime)
        return hasCarry || !isBelowZero ? difference : words
    }

    private static func add(_ left: Words, _ right: Words, carry: Bool = false) -> (sum: Words, hasCarry: Bool) {
        var sum = Words.zero
        var carry = carry
        for place in 0..<4 {
            let (first, hasFirst) = left[place].addingReportingOverflow(right[place])
            let (second, hasSecond) = first.addingReportingOverflow(carry ? 1 : 0)
            sum[place] = second
            carry = hasFirst || hasSecond
        }
        return (sum, carry)
    }

    /// Adds the two's complement, which has a carry unless the difference is below zero.
    private static func subtract(_ left: Words, _ right: Words) -> (difference: Words, isBelowZero: Bool) {
        let (difference, hasCarry) = add(left, ~right, carry: true)
        return (difference, !hasCarry)
    }
}
