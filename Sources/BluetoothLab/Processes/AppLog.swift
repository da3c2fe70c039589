import Synchronization

/// What the programs under test have printed and what the test has noted, with the time of each line.
final class AppLog: Swift.Sendable {
    /// A line.
    struct Entry: Equatable, Swift.Sendable {
        let time: WallTime
        /// `test`, or a program with its number.
        let source: String
        let text: String
    }

    static let shared = AppLog()

    private let entries = Mutex<[Entry]>([])

    func add(_ lines: [String], from source: String) {
        guard !lines.isEmpty else { return }
        let now = WallTime.now
        entries.withLock { entries in
            entries += lines.map { Entry(time: now, source: source, text: $0) }
        }
    }

    /// What came at `start` or later.
    func entries(since start: WallTime) -> [Entry] {
        entries.withLock { entries in entries.filter { $0.time >= start } }
    }

    /// Forgets what came before a test: they come one after another.
    func forget(before start: WallTime) {
        entries.withLock { entries in entries.removeAll { $0.time < start } }
    }
}

/// `[time, source, text]`, as lab-bundle reads it.
extension AppLog.Entry: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(time)
        try container.encode(source)
        try container.encode(text)
    }
}
