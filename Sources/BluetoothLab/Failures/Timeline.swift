/// A line of the merged record.
struct TimelineEntry: Equatable, Swift.Sendable {
    let time: WallTime
    /// Who: `hci`, `bus`, `bluetoothd`, `test`, or a program with its number.
    let source: String
    let text: String

}

/// All that was recorded, in the order of its time.
enum Timeline {
    /// Entries of the same time keep their order within a source.
    static func merge(_ sources: [[TimelineEntry]]) -> [TimelineEntry] {
        sources.joined().enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    static func text(_ entries: [TimelineEntry]) -> String {
        let width = entries.map(\.source.count).max() ?? 0
        return entries.map { entry in
            let padding = String(repeating: " ", count: width - entry.source.count)
            return "\(entry.time.text)  \(entry.source)\(padding)  \(entry.text)\n"
        }.joined()
    }
}
