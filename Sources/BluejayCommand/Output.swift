import Foundation
import LineOutput
import PlainText

/// The program's output: lines for people or objects for programs.
@MainActor
final class Output {
    let isJSON: Bool
    private let writer = LineWriter(descriptor: STDOUT_FILENO, queue: .main)

    init(isJSON: Bool) {
        self.isJSON = isJSON
        signal(SIGPIPE, SIG_IGN)
    }

    /// Called when output is lost: nobody reads it any longer, it cannot be written, or too much waits for its reader.
    func onLoss(_ action: @escaping @Sendable @MainActor (OutputError) -> Void) {
        writer.onFailure = { error in MainActor.assumeIsolated { action(error) } }
        writer.onOverflow = { error in MainActor.assumeIsolated { action(error) } }
    }

    /// Prints one of the two.
    func print(_ text: @autoclosure () -> String, json: (inout JSONObject) -> Void) {
        print(lines: [text()], json: json)
    }

    /// Prints lines or an object.
    func print(lines: @autoclosure () -> [String], json: (inout JSONObject) -> Void) {
        guard isJSON else { return writer.write(lines: lines()) }
        var object = JSONObject()
        json(&object)
        writer.write(object)
    }

    /// Prints an event, with the time.
    func event(_ name: String, _ text: @autoclosure () -> String, json: (inout JSONObject) -> Void = { _ in }) {
        let time = Timestamp.now
        guard isJSON else { return writer.write("\(time.timeOfDay) \(text())") }
        var object = JSONObject()
        object.add("time", time.utc)
        object.add("event", name)
        json(&object)
        writer.write(object)
    }

    /// Prints a failure, to standard error as well as, in JSON, to the output.
    func failure(_ failure: CommandError) {
        if isJSON { writer.write(failure.object) }
        StandardError.write("bluejay: \(failure.message)")
    }

    /// Hands over lines that are held back to be written with others.
    func flush() {
        writer.flush()
    }

    /// Calls `action` once everything is written, or after `limit`.
    func whenWritten(within limit: DispatchTimeInterval, _ action: @escaping @MainActor () -> Void) {
        writer.finish(within: limit) { _ in MainActor.assumeIsolated { action() } }
    }

    /// Waits until everything is written, for as long as the reader takes unless there is a limit.
    ///
    /// - Returns: why something is missing; nil if nothing is.
    func finish(within timeout: DispatchTimeInterval?) async -> OutputError? {
        await withCheckedContinuation { continuation in
            writer.finish(within: timeout) { continuation.resume(returning: $0) }
        }
    }
}

extension CommandError {
    /// For programs: `error`, `status` and, for an ATT error, `attError`.
    var object: JSONObject {
        var object = JSONObject()
        object.add("error", message)
        object.add("status", status.rawValue)
        object.add("attError", attError)
        return object
    }
}
