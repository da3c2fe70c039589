/// A number and what it counts, in the singular or the plural: `1 write`, `2 writes`, `0 centrals`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

extension Duration {
    /// A time as people write it: `250 ms`, `1.5 s`.
    package static func text(seconds: Double) -> String {
        func trimmed(_ number: Double) -> String {
            let text = fixedPoint(number, places: 3)
            guard text.contains(".") else { return text }
            let withoutZeros = text.reversed().drop { $0 == "0" }
            return String(withoutZeros.drop { $0 == "." }.reversed())
        }
        return seconds < 1 && seconds > 0 ? trimmed(seconds * 1000) + " ms" : trimmed(seconds) + " s"
    }
}
