import Foundation
import Posix

/// What the kernel reports of its own mistakes during a test: a BUG, a WARNING, a lock that is held wrongly, and so on.
/// The lab's agent knows what is such a report.
///
/// There is nothing where the kernel is not the lab's (`LAB=host`), and with `LAB_KERNEL_REPORTS=0`.
final class KernelLog: Swift.Sendable {
    private static let path = "/dev/kmsg"
    private static let environment = ProcessInfo.processInfo.environment
    private static let agent = environment["LAB_KERNEL_REPORTS"] == "0" ? nil : environment["LAB_AGENT"]

    private let test: String
    /// Reads the log from the test's beginning on; nil where it cannot be read.
    private let descriptor: Int32?

    init(for test: String) {
        self.test = test
        let opened = Self.agent == nil ? -1 : open(Self.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        descriptor = opened < 0 ? nil : opened
        if let descriptor {
            Self.write("\(test) begins")
            lseek(descriptor, 0, SEEK_END)
        }
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Writes a line into the log. Without it, a message that has no end of its line cannot be read yet.
    private static func write(_ text: String) {
        let log = open(path, O_WRONLY | O_CLOEXEC)
        guard log >= 0 else { return }
        let line = Array("<7>lab: \(text)\n".utf8)
        _ = Foundation.write(log, line, line.count)
        close(log)
    }

    /// What the kernel has reported since the test's beginning, or the last call; empty if it has reported nothing.
    func reports() async -> String {
        guard let descriptor, let agent = Self.agent else { return "" }
        Self.write("\(test) is looked at")
        do {
            let output = try ProcessPipe()
            let program = try LaunchedProgram(
                [agent, "kernel-reports"], environment: Self.environment, input: .descriptor(descriptor),
                output: .descriptor(output.writing.fileDescriptor))
            try? output.writing.close()
            return await withCheckedContinuation { continuation in
                Thread {
                    let text = (try? output.reading.readToEnd()) ?? Data()
                    program.reap()
                    let reports = String(decoding: text, as: UTF8.self)
                    continuation.resume(returning: reports.trimmingCharacters(in: .whitespacesAndNewlines))
                }.start()
            }
        } catch {
            return "the kernel's log could not be read: \(error)"
        }
    }
}
