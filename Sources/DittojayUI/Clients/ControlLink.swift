import Dittojay
import Foundation
import MainLoop
import Posix

/// A connection to a control socket, of a dittojay or of the virtual radio: requests, their replies in the same order,
/// and events between them. Used on one queue only.
final class ControlLink {
    /// Called with each line that is no reply.
    var onEvent: (([UInt8]) -> Void)?
    /// Called once when the other side has ended the connection.
    var onEnd: (() -> Void)?

    private let descriptor: Int32
    private var readable: DescriptorWatch?
    private var writable: DescriptorWatch?
    private var splitter = LineSplitter(limit: ControlLink.longestLine)
    private var replies: [(ControlAnswer) -> Void] = []
    private var output = SendBuffer()

    /// In bytes. The status of the largest peripheral that a file can describe is shorter.
    private static let longestLine = 1 << 24
    /// How many requests may wait for their replies.
    private static let maximumWaiting = 64

    /// - Throws: ``SystemError`` if nothing listens there, or too many clients wait already.
    init(path: String, queue: DispatchQueue) throws(SystemError) {
        descriptor = try UnixSocket.connected(to: path, blocks: false)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { writable = DescriptorWatch(copy, for: .writable, queue: queue) { [weak self] in self?.flush() } }
        readable = DescriptorWatch(descriptor, queue: queue) { [weak self] in self?.read() }
        readable?.start()
    }

    deinit {
        readable?.cancel()
        writable?.cancel()
    }

    /// Sends a request, and calls `reply` once.
    ///
    /// - Parameter line: without its end.
    func send(_ line: [UInt8], _ reply: @escaping (ControlAnswer) -> Void) {
        guard readable != nil else { return reply(.ended) }
        guard replies.count < Self.maximumWaiting else {
            return reply(.refused("too many pending requests (limit \(Self.maximumWaiting))"))
        }
        replies.append(reply)
        let isWaiting = !output.isEmpty
        output.append(line + [UInt8(ascii: "\n")])
        if !isWaiting { flush() }
    }

    func end() {
        guard let readable else { return }
        self.readable = nil
        readable.cancel()
        writable?.cancel()
        writable = nil
        let waiting = replies
        let ended = onEnd
        (replies, onEvent, onEnd) = ([], nil, nil)
        for reply in waiting { reply(.ended) }
        ended?()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return end() }
        for case .line(let line) in splitter.append(buffer[..<count]) {
            guard readable != nil else { return }
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
                return end()
            }
            if let isDone = object["ok"] as? Bool {
                guard !replies.isEmpty else {
                    // One that nobody has asked for: too many connections.
                    return end()
                }
                replies.removeFirst()(
                    isDone ? .done(line) : .refused(object["error"] as? String ?? "the request was refused"))
            } else {
                onEvent?(line)
            }
        }
    }

    private func flush() {
        guard readable != nil else { return }
        switch output.send(to: descriptor) {
        case .sentAll: writable?.suspend()
        case .isFull: writable?.resume()
        case .failed: end()
        }
    }
}

/// What a control socket answers to a request.
enum ControlAnswer {
    /// The line, an object in JSON.
    case done([UInt8])
    /// Why not, for people.
    case refused(String)
    /// The connection ended before the answer.
    case ended
}
