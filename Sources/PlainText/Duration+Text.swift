extension Duration {
    /// A time as people write it: `250 ms`, `1.5 s`.
    package static func text(seconds: Double) -> String {
        seconds < 1 && seconds > 0 ? decimal(seconds * 1000) + " ms" : decimal(seconds) + " s"
    }
}

/// A number with as many decimal places as it needs, at most three: `1.5`, `20`.
package func decimal(_ number: Double) -> String {
    let text = fixedPoint(number, places: 3)
    guard text.contains(".") else { return text }
    let withoutZeros = text.reversed().drop { $0 == "0" }
    return String(withoutZeros.drop { $0 == "." }.reversed())
}
