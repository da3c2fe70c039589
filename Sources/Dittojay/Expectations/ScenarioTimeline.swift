import DequeModule
import PlainText

/// What has happened while a scenario was played, with the seconds since its beginning: the first entries and the last
/// ones, if there are many.
struct ScenarioTimeline: Hashable, Swift.Sendable {
    private struct Entry: Hashable {
        let seconds: Double
        let text: String
        let isStep: Bool
    }

    private var first: [Entry] = []
    private var last: Deque<Entry> = []
    private var leftOut = 0

    /// How many entries are kept of the beginning, and how many of the end.
    static let limits = (first: 100, last: 900)

    /// - Parameter isStep: whether it is about a step, rather than something that has happened.
    mutating func add(_ text: some StringProtocol, at seconds: Double, isStep: Bool = false) {
        let entry = Entry(seconds: seconds, text: String(text), isStep: isStep)
        guard first.count == Self.limits.first else { return first.append(entry) }
        if last.count == Self.limits.last {
            last.removeFirst()
            leftOut += 1
        }
        last.append(entry)
    }

    /// A line for each entry.
    var lines: [String] {
        let gap = leftOut > 0 ? ["         … \(leftOut) more …"] : []
        return first.map(Self.line) + gap + last.map(Self.line)
    }

    private static func line(_ entry: Entry) -> String {
        let seconds = fixedPoint(entry.seconds, places: 3)
        let padding = String(repeating: " ", count: max(0, 9 - seconds.utf8.count))
        return padding + seconds + (entry.isStep ? "  * " : "    ") + entry.text
    }
}
