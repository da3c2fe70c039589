/// What `btmon -T -r` prints, in UTC: a packet's headline ends with its time, and what it says follows, indented.
enum DecodedCapture {
    private static let timeLength = 26
    private static let directions = Array("<>=@".utf8)
    /// A packet's own name and, for ATT, its values: what one looks for first.
    private static let (nameIndent, valueIndent) = (6, 8)
    /// What comes after every packet and tells nothing.
    private static let acknowledgement = "> HCI Event: Number of Completed Packets"
    private static let values = ["Handle:", "Data:", "Data[", "Error:", "Value:"]

    /// One entry for each packet of `start` or later but for acknowledgements. Notes of programs are left out: they are in the timeline by themselves.
    static func entries(_ output: [UInt8], since start: WallTime) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var current: (time: WallTime, text: String, isATT: Bool)?
        func finish() {
            if let current { entries.append(TimelineEntry(time: current.time, source: "hci", text: current.text)) }
            current = nil
        }
        for bytes in Lines(output) {
            guard let first = bytes.first else { continue }
            if directions.contains(first) {
                finish()
                let line = String(decoding: bytes, as: UTF8.self)
                guard !line.hasPrefix(acknowledgement), let time = WallTime(text: line.suffix(timeLength)),
                    time >= start, !isProgramsNote(line)
                else { continue }
                current = (time, condensed(line.dropLast(timeLength)), false)
            } else if let known = current {
                let indent = bytes.prefix { $0 == UInt8(ascii: " ") }.count
                guard indent == nameIndent || known.isATT else { continue }
                let text = condensed(String(decoding: bytes, as: UTF8.self))
                if indent == nameIndent {
                    current?.text += "; \(text)"
                    current?.isATT = text.hasPrefix("ATT:")
                } else if indent >= valueIndent, values.contains(where: text.hasPrefix) {
                    current?.text += ", \(text)"
                }
            }
        }
        finish()
        return entries
    }

    /// `= bluetoothd: …`; the kernel's own begin with a word that btmon knows.
    private static func isProgramsNote(_ line: String) -> Bool {
        line.first == "="
            && !["New Index", "Delete Index", "Open Index", "Close Index", "Index Info", "Note", "Vendor"]
                .contains { line.dropFirst(2).hasPrefix($0) }
    }

    private static func condensed(_ line: some StringProtocol) -> String {
        line.split(separator: " ").joined(separator: " ")
    }
}
