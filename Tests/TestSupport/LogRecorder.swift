package import Logging
import Synchronization

/// Keeps what is logged, for tests.
package final class LogRecorder: Swift.Sendable {
    /// One message.
    package struct Entry: Hashable, Swift.Sendable {
        package let level: Logger.Level
        package let text: String
        /// The metadata, each value as text.
        package let metadata: [String: String]
    }

    private let recorded = Mutex<[Entry]>([])
    private let level: Logger.Level

    /// - Parameter level: what is below it is dropped.
    package init(level: Logger.Level = .debug) {
        self.level = level
    }

    package var entries: [Entry] { recorded.withLock { $0 } }
    package var texts: [String] { entries.map(\.text) }

    /// A logger whose messages are kept here.
    package var logger: Logger {
        Logger(label: "test") { _ in Handler(recorder: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let entry = Entry(level: event.level, text: "\(event.message)", metadata: metadata)
            recorder.recorded.withLock { $0.append(entry) }
        }
    }
}
