/// A JSON object that is written member by member, on one line. Much lighter than an encoder, for output of many lines.
public struct JSONObject: Swift.Sendable {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    /// The object's text, without a line end.
    public var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The object's text as UTF-8, without a line end.
    public var utf8: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Adds a string; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ value: (some StringProtocol)?) {
        guard let value else { return }
        begin(name)
        bytes.appendJSONString(value)
    }

    /// Adds a number; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Adds a number with a few decimal places; nothing if it is nil, `null` if JSON cannot express it.
    public mutating func add(_ name: StaticString, _ value: Double?, places: Int) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: (value.isFinite ? fixedPoint(value, places: places) : "null").utf8)
    }

    /// Adds a truth value; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Adds an object; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ value: JSONObject?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: value.utf8)
    }

    /// Adds an array of objects.
    public mutating func add(_ name: StaticString, _ values: [JSONObject]) {
        addArray(name, values) { bytes, value in bytes.append(contentsOf: value.utf8) }
    }

    /// Adds an array of strings.
    public mutating func add(_ name: StaticString, _ values: [String]) {
        addArray(name, values) { bytes, value in bytes.appendJSONString(value) }
    }

    /// Adds an array of numbers with a few decimal places.
    public mutating func add(_ name: StaticString, _ values: [Double], places: Int) {
        addArray(name, values) { bytes, value in
            bytes.append(contentsOf: (value.isFinite ? fixedPoint(value, places: places) : "null").utf8)
        }
    }

    private mutating func addArray<Value>(
        _ name: StaticString, _ values: [Value], append: (inout [UInt8], Value) -> Void
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

    private mutating func begin(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}

/// A number with a fixed number of decimal places, rounded, without the cost of a formatter.
///
/// - Parameter places: at most 9.
public func fixedPoint(_ value: Double, places: Int) -> String {
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

extension [UInt8] {
    /// Appends a JSON string with its quotes. Specification: RFC 8259, 7.
    fileprivate mutating func appendJSONString(_ text: some StringProtocol) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case UInt8(ascii: "\n"): append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): append(contentsOf: "\\t".utf8)
            // DEL is legal in JSON, but terminals and some readers choke on it.
            case 0..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                append(contentsOf: "\\u00".utf8)
                append(digits[Int(byte >> 4)])
                append(digits[Int(byte & 0xF)])
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
