import Foundation

/// What happened during a test that has failed, in a folder of its own below `$LAB_OUT/failures`. All times are those of
/// the machine's clock, in UTC, as the recorder saw them.
///
/// | file | what |
/// |---|---|
/// | `summary.txt` | the test, its issues, and what bluetoothd knew of the devices at its end |
/// | `timeline.txt` | everything below in the order of time, a line for each packet, message and line of a log |
/// | `hci.btsnoop` | the traffic of all controllers, for Wireshark, tshark or `btmon -r`; notes and bluetoothd's log are in it, too |
/// | `hci.txt` | the same, as btmon decodes it |
/// | `bus.log` | the messages on the system bus, as dbus-monitor prints them |
/// | `bluetoothd.log` | bluetoothd's log |
/// | `app.log` | what the test and the programs that it started have printed, and the notes of the test |
struct FailureBundle {
    let test: String
    let start, end: WallTime
    /// Where in the bus trace to begin: it may be long by now.
    let busPosition: UInt64
    let issues: [String]
    let devices: String

    /// Writes the bundle and returns its folder.
    func write(into output: URL) async throws -> URL {
        let missing = await Recording.catchUp()
        let folder = try Self.newFolder(in: output.appendingPathComponent("failures"), named: test)
        func write(_ content: [UInt8], to name: String) throws {
            try Data(content).write(to: folder.appendingPathComponent(name))
        }

        var sources = [AppLog.shared.entries(since: start) + (Recording.output.map(printed) ?? [])]
        try write(Array(Timeline.text(Timeline.merge(sources)).utf8), to: "app.log")

        let trace = BusTrace(
            Array(Recording.content(of: Recording.busTrace, from: busPosition)), since: start)
        try write(trace.text, to: "bus.log")
        sources.append(trace.entries)

        if let capture = Capture(bytes(of: Recording.capture)) {
            try write(capture.slice(since: start), to: "hci.btsnoop")
            try await decode(in: folder)
            sources.append(DecodedCapture.entries(bytes(of: folder.appendingPathComponent("hci.txt")), since: start))
            let log = capture.notes(since: start).filter { $0.program == "bluetoothd" }.map {
                TimelineEntry(time: $0.time, source: $0.program, text: $0.text)
            }
            try write(Array((Timeline.text(log) + untimed()).utf8), to: "bluetoothd.log")
            sources.append(log)
        }
        // What comes after the end is this collecting.
        let timeline = Timeline.merge(sources).filter { $0.time <= end }
        try write(Array(Timeline.text(timeline).utf8), to: "timeline.txt")
        try write(Array(summary(missing: missing).utf8), to: "summary.txt")
        return folder
    }

    private static func newFolder(in parent: URL, named test: String) throws -> URL {
        let name = String(test.map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" })
        var folder = parent.appendingPathComponent(name)
        var number = 1
        while FileManager.default.fileExists(atPath: folder.path) {
            number += 1
            folder = parent.appendingPathComponent("\(name)-\(number)")
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func bytes(of file: URL) -> [UInt8] { Array(Recording.content(of: file)) }

    /// The lines that the tests' process has printed since the start.
    private func printed(in file: URL) -> [TimelineEntry] {
        Lines(bytes(of: file)).compactMap { line in
            let text = String(decoding: line, as: UTF8.self)
            guard let end = text.firstIndex(of: " "), let time = WallTime(seconds: text[..<end]), time >= start else {
                return nil
            }
            return TimelineEntry(time: time, source: "output", text: String(text[text.index(after: end)...]))
        }
    }

    private func decode(in folder: URL) async throws {
        let decoder = try ChildProcess(
            "sh", ["-c", "cd \"$1\" && btmon -T -C 120 -r hci.btsnoop >hci.txt 2>&1", "sh", folder.path],
            environment: ["TZ": "UTC"])
        _ = try await decoder.exitStatus(within: .seconds(120))
    }

    /// What bluetoothd printed other than its log, such as the end of one that crashed. That has no times.
    private func untimed() -> String {
        guard let file = Recording.bluetoothdOutput else { return "" }
        let lines = String(decoding: bytes(of: file), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("bluetoothd[") }
        return lines.isEmpty ? "" : "\nother output, since the lab's start:\n\(lines.joined(separator: "\n"))\n"
    }

    private func summary(missing: [String]) -> String {
        let late = missing.isEmpty ? "" : "\nThe last moments may be missing in: \(missing.joined(separator: ", "))\n"
        return """
            \(test) failed
            from \(start.text) to \(end.text) UTC
            \(late)
            \(issues.joined(separator: "\n"))

            \(devices)

            """
    }
}
