import Foundation

/// Values as text for the log: strings in quotes, bytes in hexadecimal, the rest as in Swift. What is long is cut.
struct BusValueText {
    private var text = ""
    private let limit: Int

    /// - Parameter limit: of characters, more or less.
    static func text(of values: [BusValue], limit: Int = 400) -> String {
        var writer = BusValueText(limit: limit)
        writer.append(list: values)
        return writer.text
    }

    private init(limit: Int) {
        self.limit = limit
    }

    private var isFull: Bool { text.utf8.count >= limit }

    private mutating func append(list: [BusValue]) {
        append(elements: list) { $0.append($1) }
    }

    /// Appends elements with commas between them, until there is no more room.
    private mutating func append<Element>(
        elements: some Sequence<Element>, _ append: (inout BusValueText, Element) -> Void
    ) {
        var isFirst = true
        for element in elements {
            if !isFirst { text += ", " }
            isFirst = false
            if isFull {
                text += "…"
                return
            }
            append(&self, element)
        }
    }

    private mutating func append(_ value: BusValue) {
        switch value {
        case .byte(let number): text += "\(number)"
        case .boolean(let flag): text += "\(flag)"
        case .int16(let number): text += "\(number)"
        case .uint16(let number): text += "\(number)"
        case .int32(let number): text += "\(number)"
        case .uint32(let number): text += "\(number)"
        case .int64(let number): text += "\(number)"
        case .uint64(let number): text += "\(number)"
        case .double(let number): text += "\(number)"
        case .string(let string): text += "\"\(string.prefix(limit))\""
        case .objectPath(let path): text += path.string
        case .signature(let signature): text += "'\(signature.string)'"
        case .fileDescriptor: text += "a descriptor"
        case .bytes(let data): append(data)
        case .array(let elements, _):
            text += "["
            append(list: elements)
            text += "]"
        case .structure(let fields):
            text += "("
            append(list: fields)
            text += ")"
        case .dictionary(let entries, _, _):
            text += "{"
            append(elements: entries) { writer, entry in
                writer.append(entry.key)
                writer.text += ": "
                writer.append(entry.value)
            }
            text += "}"
        case .variant(let inner): append(inner)
        }
    }

    private mutating func append(_ data: Data) {
        let shown = data.prefix(max(limit / 2, 1))
        text += "<" + shown.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        text += shown.count < data.count ? "… \(data.count) bytes>" : ">"
    }
}
