import Bluejay
import LineOutput

/// What the program prints: lines for people or objects for programs.
@MainActor
final class Output {
    let isJSON: Bool
    private let writer = LineWriter(descriptor: STDOUT_FILENO, queue: .main)

    init(isJSON: Bool) {
        self.isJSON = isJSON
        signal(SIGPIPE, SIG_IGN)
    }

    /// Called once when nobody reads the output any more.
    func onBroken(_ action: @escaping @Sendable @MainActor () -> Void) {
        writer.onBroken = { MainActor.assumeIsolated { action() } }
    }

    /// Prints one of the two.
    func print(_ text: @autoclosure () -> String, json: (inout JSONObject) -> Void) {
        guard isJSON else { return writer.write(text()) }
        var object = JSONObject()
        json(&object)
        writer.write(object)
    }

    /// Prints something that has happened, with the time.
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
    func failure(_ failure: Failure) {
        if isJSON {
            var object = JSONObject()
            object.add("error", failure.message)
            object.add("status", failure.status.rawValue)
            object.add("attError", failure.attError)
            writer.write(object)
        }
        writer.flush()
        standardError("bluejay: \(failure.message)")
    }

    /// Writes out what is held back.
    func flush() {
        writer.flush()
    }
}

/// Writes a line to standard error.
func standardError(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}
