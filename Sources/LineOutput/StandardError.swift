import Glibc
import PlainText

/// Standard error. A message is written before the call returns. If nobody reads, it waits; if too many wait, they are
/// dropped and counted.
///
/// May be used on any thread.
package enum StandardError {
    /// Writes one line, as ``TerminalText`` has it.
    package static func write(_ line: String) {
        write(lines: [line])
    }

    /// Writes several lines.
    package static func write(lines: [String]) {
        var bytes: [UInt8] = []
        for line in lines {
            bytes.appendEscaped(line)
            bytes.append(UInt8(ascii: "\n"))
        }
        shared.write(bytes)
    }

    private static let shared: MessageWriter = {
        let writer = MessageWriter(descriptor: STDERR_FILENO, capacity: 1 << 16)
        atexit { StandardError.shared.finish() }
        return writer
    }()
}
