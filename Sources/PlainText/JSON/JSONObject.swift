/// A JSON object that is written member by member, on one line. Much lighter than an encoder, for output of many lines.
package struct JSONObject: Swift.Sendable {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// The object's text, without a line end.
    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The object's text as UTF-8, without a line end.
    package var utf8: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Adds a string; nothing if it is nil.
    package mutating func add(_ name: String, _ value: (some StringProtocol)?) {
        guard let value else { return }
        begin(name)
        bytes.appendJSONString(value)
    }

    /// Adds a number; nothing if it is nil.
    package mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Adds a number with a few decimal places; nothing if it is nil, `null` if JSON cannot express it.
    package mutating func add(_ name: String, _ value: Double?, places: Int) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: (value.isFinite ? fixedPoint(value, places: places) : "null").utf8)
    }

    /// Adds a truth value; nothing if it is nil.
    package mutating func add(_ name: String, _ value: Bool?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Adds an object; nothing if it is nil.
    package mutating func add(_ name: String, _ value: JSONObject?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: value.utf8)
    }

    /// Adds an object with these objects as its members.
    package mutating func add(_ name: String, members: [(name: String, value: JSONObject)]) {
        begin(name)
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.appendJSONString(member.name)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: member.value.utf8)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a number that is written already, as JSON writes numbers.
    package mutating func add(_ name: String, number digits: String) {
        begin(name)
        bytes.append(contentsOf: digits.utf8)
    }

    /// Adds an array of numbers that are written already, as JSON writes numbers.
    package mutating func add(_ name: String, numbers: [String]) {
        addArray(name, numbers) { bytes, digits in bytes.append(contentsOf: digits.utf8) }
    }

    /// Adds an array of objects.
    package mutating func add(_ name: String, _ values: [JSONObject]) {
        addArray(name, values) { bytes, value in bytes.append(contentsOf: value.utf8) }
    }

    /// Adds an array of strings.
    package mutating func add(_ name: String, _ values: [String]) {
        addArray(name, values) { bytes, value in bytes.appendJSONString(value) }
    }

    /// Adds an array of numbers with a few decimal places.
    package mutating func add(_ name: String, _ values: [Double], places: Int) {
        addArray(name, values) { bytes, value in
            bytes.append(contentsOf: (value.isFinite ? fixedPoint(value, places: places) : "null").utf8)
        }
    }

    private mutating func addArray<Value>(
        _ name: String, _ values: [Value], append: (inout [UInt8], Value) -> Void
    ) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(&bytes, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}

/// Members with the keys that the object is read with by `Decodable`, so that each key is written once.
extension JSONObject {
    package mutating func add(_ key: some CodingKey, _ value: (some StringProtocol)?) { add(key.stringValue, value) }
    package mutating func add(_ key: some CodingKey, _ value: (some BinaryInteger)?) { add(key.stringValue, value) }
    package mutating func add(_ key: some CodingKey, _ value: Bool?) { add(key.stringValue, value) }
    package mutating func add(_ key: some CodingKey, _ value: JSONObject?) { add(key.stringValue, value) }

    package mutating func add(_ key: some CodingKey, _ value: Double?, places: Int) {
        add(key.stringValue, value, places: places)
    }

    package mutating func add(_ key: some CodingKey, _ values: [JSONObject]?) {
        if let values { add(key.stringValue, values) }
    }

    package mutating func add(_ key: some CodingKey, _ values: [String]?) {
        if let values { add(key.stringValue, values) }
    }
}

/// A number with a fixed number of decimal places, rounded, without the cost of a formatter.
///
/// - Parameter places: at most 9.
package func fixedPoint(_ value: Double, places: Int) -> String {
    var scale = 1
    for _ in 0..<min(max(places, 0), 9) { scale *= 10 }
    let scaled = (value * Double(scale)).rounded()
    guard let units = Int(exactly: scaled) else { return String(value) }
    let magnitude = units.magnitude
    let sign = units < 0 ? "-" : ""
    guard scale > 1 else { return sign + String(magnitude) }
    let fraction = String(magnitude % UInt(scale))
    let zeros = String(repeating: "0", count: max(0, min(places, 9) - fraction.utf8.count))
    return "\(sign)\(magnitude / UInt(scale)).\(zeros)\(fraction)"
}
