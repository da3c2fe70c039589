import Foundation
import Synchronization

@testable import LineOutput

/// A pipe whose reader reads when the test wants it to, and a queue for the writers.
final class TestPipe: Sendable {
    let queue = DispatchQueue(label: "test")
    let writingEnd: Int32
    private let readingEnd: Int32
    private let open = Mutex((reading: true, writing: true))

    private struct NoPipe: Error {}

    /// - Parameter capacity: of the pipe itself, in bytes; at least a page.
    init(capacity: Int32 = 4096) throws {
        // A writer without a reader gets an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NoPipe() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ
        guard fcntl(writingEnd, setPipeSize, capacity) >= capacity else { throw NoPipe() }
    }

    deinit {
        closeReadingEnd()
        closeWritingEnd()
    }

    func closeReadingEnd() {
        let wasOpen = open.withLock { open in
            defer { open.reading = false }
            return open.reading
        }
        if wasOpen { close(readingEnd) }
    }

    func closeWritingEnd() {
        let wasOpen = open.withLock { open in
            defer { open.writing = false }
            return open.writing
        }
        if wasOpen { close(writingEnd) }
    }

    /// Leaves no room in the pipe, by one line.
    func fill() {
        let getPipeSize: Int32 = 1032  // F_GETPIPE_SZ
        let line =
            [UInt8](repeating: UInt8(ascii: "."), count: Int(fcntl(writingEnd, getPipeSize)) - 1) + Array("\n".utf8)
        _ = write(writingEnd, line, line.count)
    }

    func read(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            var buffer = [UInt8](repeating: 0, count: min(count - all.count, 4096))
            let read = Foundation.read(readingEnd, &buffer, buffer.count)
            guard read > 0 else { break }
            all += buffer[..<read]
        }
        return all
    }

    func readToEnd() -> [UInt8] { read(.max) }

    /// Reads up to a line that contains `text`, in bytes of a line at a time; all lines until there, without their
    /// ends.
    func readLines(until isLast: (String) -> Bool) -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        while let byte = read(1).first {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            lines.append(String(decoding: line, as: UTF8.self))
            line = []
            if isLast(lines[lines.count - 1]) { break }
        }
        return lines
    }

    func finish(_ writer: LineWriter, within timeout: DispatchTimeInterval? = .seconds(20)) async -> OutputError? {
        await withCheckedContinuation { continuation in
            queue.async { writer.finish(within: timeout) { continuation.resume(returning: $0) } }
        }
    }
}
