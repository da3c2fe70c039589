import ArgumentParser
import Dittojay
import Foundation
import LineOutput
import PlainText

/// A file that gets the events of a peripheral, one JSON object a line. Used on the peripheral's queue only.
// @unchecked: everything happens on the peripheral's queue.
final class EventRecord: @unchecked Swift.Sendable {
    /// Called once if the file can no longer be written.
    var onFailure: ((OutputError) -> Void)?
    private let writer: LineWriter
    private let path: String

    /// - Parameter force: whether to overwrite an existing file.
    init(path: String, force: Bool, queue: DispatchQueue) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0o644)
        guard descriptor >= 0 else {
            let code = errno
            guard code == EEXIST else {
                throw DittojayError.reportNotWritten("cannot write \(path): \(String(cString: strerror(code)))")
            }
            throw ValidationError("\(path) already exists; use --force to overwrite it")
        }
        self.path = path
        writer = LineWriter(descriptor: descriptor, queue: queue)
        writer.onFailure = { [weak self] error in self?.onFailure?(error) }
        writer.dropNotice = { PeripheralEvent.notice(ofDropped: $0).text }
    }

    func write(_ event: PeripheralEvent) {
        writer.write(event.recordJSON)
    }

    /// Waits until everything is written, and calls `action` with what failed.
    func finish(within timeout: DispatchTimeInterval, _ action: @escaping (String?) -> Void) {
        writer.finish(within: timeout) { [path] loss in action(loss.map { "\(path): \($0)" }) }
    }
}
