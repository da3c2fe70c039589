import Bluejay
import Foundation
import LineOutput
import PlainText

/// What has happened, on standard output and in a file. It is written at once: the program may be killed at any moment.
final class DemoLog: Swift.Sendable {
    private let isJSON: Bool
    /// Nil where standard output is the agent's log, which has no use for all of this.
    private let standardOutput: MessageWriter?
    private let file: Int32?

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter file: is appended to; created if it does not exist.
    init(isJSON: Bool, file: String?) throws {
        self.isJSON = isJSON
        signal(SIGPIPE, SIG_IGN)
        let hasTerminal = file == nil || Bluejay.launchOptions == nil
        standardOutput = hasTerminal ? MessageWriter(descriptor: STDOUT_FILENO, capacity: 1 << 20) : nil
        guard let file else {
            self.file = nil
            return
        }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(description: "cannot write \(file): \(String(cString: strerror(errno)))")
        }
        self.file = descriptor
    }

    /// Ends the program, with a status of its own if output is lost.
    func exit() -> Never {
        guard let loss = standardOutput?.finish(), !loss.isByTheReader else { Foundation.exit(0) }
        StandardError.write("RestorationDemo: \(loss)")
        Foundation.exit(EX_IOERR)
    }

    /// Writes one line.
    func event(_ name: String, _ text: String, json: (inout JSONObject) -> Void = { _ in }) {
        let time = Timestamp.now
        var line = TerminalText.escaped("\(time.timeOfDay) \(text)") + "\n"
        if isJSON {
            var object = JSONObject()
            object.add("time", time.utc)
            object.add("event", name)
            json(&object)
            line = object.text + "\n"
        }
        let bytes = Array(line.utf8)
        if let file { _ = write(file, bytes, bytes.count) }
        standardOutput?.write(bytes)
    }

    /// Shows a text on the desktop, if there is one.
    func notify(_ text: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/notify-send")
        process.arguments = ["--app-name", "bluejay", "Heart-rate sensor", text]
        // Without the program there is no notification, and nothing else is missing.
        try? process.run()
    }
}
