/// A secret that whoever controls a peripheral over the page has to know: 256 random bits.
package struct AccessToken: Sendable {
    /// In hexadecimal digits.
    package let text: String

    /// A new one, from the system's source of randomness.
    package init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether a text is this secret. It takes the same time wherever they differ.
    package func matches(_ other: String) -> Bool {
        let (own, others) = (Array(text.utf8), Array(other.utf8))
        guard own.count == others.count else { return false }
        return zip(own, others).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
