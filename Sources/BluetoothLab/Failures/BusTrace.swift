/// What `dbus-monitor` prints: a message's headline with its time, and its content, indented.
struct BusTrace {
    private struct Message {
        let time: WallTime
        let headline: String
        /// Its lines, from the headline on.
        var lines: Range<Int>
    }

    private let lines: [ArraySlice<UInt8>]
    private var messages: [Message] = []

    /// The messages of `start` or later.
    init(_ trace: [UInt8], since start: WallTime) {
        lines = Array(Lines(trace))
        var isIncluded = false
        for (index, line) in lines.enumerated() {
            if let message = Self.message(line, at: index) {
                isIncluded = message.time >= start
                if isIncluded { messages.append(message) }
            } else if isIncluded {
                messages[messages.count - 1].lines = messages[messages.count - 1].lines.lowerBound..<index + 1
            }
        }
    }

    private static func message(_ line: ArraySlice<UInt8>, at index: Int) -> Message? {
        guard let first = line.first, first != UInt8(ascii: " ") else { return nil }
        let headline = String(decoding: line, as: UTF8.self)
        guard kinds.contains(where: headline.hasPrefix), let start = headline.firstRange(of: "time=")?.upperBound,
            let time = WallTime(seconds: headline[start...].prefix { $0 != " " })
        else { return nil }
        return Message(time: time, headline: headline, lines: index..<index + 1)
    }

    /// The messages as they stand in the trace, with the time in front, in the one form of all records.
    var text: [UInt8] {
        messages.reduce(into: []) { text, message in
            text += Array("\(message.time.text)  ".utf8)
            for line in lines[message.lines] { text += line + [UInt8(ascii: "\n")] }
        }
    }

    /// One entry for each message: who called what, with the first texts of its content.
    var entries: [TimelineEntry] {
        messages.map { message in
            let texts = lines[message.lines.dropFirst().prefix(12)].compactMap(Self.text).prefix(3).map(String.init)
            let text = ([Self.summary(message.headline)] + texts).joined(separator: " ")
            return TimelineEntry(time: message.time, source: "bus", text: text)
        }
    }

    private static let kinds = ["signal time=", "method call time=", "method return time=", "error time="]

    /// `:1.5 -> :1.0 method call /org/bluez/hci1 org.bluez.Adapter1.StartDiscovery serial 7`
    private static func summary(_ line: String) -> String {
        let kind = kinds.first { line.hasPrefix($0) }?.dropLast(" time=".count) ?? ""
        func value(_ name: String) -> String? {
            guard let range = line.firstRange(of: " \(name)=") else { return nil }
            return String(line[range.upperBound...].prefix { $0 != " " && $0 != ";" })
        }
        var words = [value("sender") ?? "?"]
        // A signal has none: "(null destination)".
        if let destination = value("destination"), !destination.hasPrefix("(") { words += ["->", destination] }
        words.append(String(kind))
        if let path = value("path") { words.append(path) }
        if let member = value("member") { words.append("\(value("interface") ?? "").\(member)") }
        if let error = value("error_name") { words.append(error) }
        if let call = value("reply_serial") {
            words.append("to \(call)")
        } else if kind == "method call", let serial = value("serial") {
            words.append("serial \(serial)")
        }
        return words.joined(separator: " ")
    }

    /// A string or an object's path in a message's content, in quotation marks.
    private static func text(_ bytes: ArraySlice<UInt8>) -> Substring? {
        let line = String(decoding: bytes, as: UTF8.self)
        guard let range = line.firstRange(of: "string \"") ?? line.firstRange(of: "object path \"") else { return nil }
        return line[line.index(before: range.upperBound)...]
    }
}
