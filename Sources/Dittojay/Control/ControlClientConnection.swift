import DBus
import Foundation

/// One program that is connected to the control socket. Its requests are answered one after another, in order.
final class ControlClientConnection {
    /// Called once when the connection is closed from the other end or for a fault.
    var onClose: (() -> Void)?

    private let descriptor: Int32
    private let handler: ControlServer.Handler
    private var watch: DescriptorWatch?
    private var lines = LineSplitter(limit: ControlRequest.maximumLength)
    /// Requests that wait for the answer of the one before.
    private var waiting: [Result<ControlRequest, ControlRequest.ParsingError>] = []
    private var isBusy = false
    private var isReadingSuspended = false

    /// How many requests may wait before no more are read.
    private static let waitingLimit = 16

    /// Takes the descriptor over.
    init(_ descriptor: Int32, queue: DispatchQueue, handler: @escaping ControlServer.Handler) {
        self.descriptor = descriptor
        self.handler = handler
        // The watch keeps the connection alive until it is closed.
        watch = DescriptorWatch(descriptor, queue: queue) { self.read() }
    }

    func start() {
        watch?.start()
    }

    func close() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        let closed = onClose
        onClose = nil
        closed?()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        for line in lines.append(buffer[..<count]) {
            switch line {
            case .line(let bytes):
                if bytes.isEmpty { continue }
                do throws(ControlRequest.ParsingError) {
                    waiting.append(.success(try ControlRequest(line: bytes)))
                } catch {
                    waiting.append(.failure(error))
                }
            case .tooLong:
                waiting.append(
                    .failure(.init(description: "the request is longer than \(ControlRequest.maximumLength) bytes")))
            }
        }
        answerNext()
        if waiting.count > Self.waitingLimit, !isReadingSuspended, let watch {
            isReadingSuspended = true
            watch.suspend()
        }
    }

    private func answerNext() {
        while !isBusy, !waiting.isEmpty, watch != nil {
            isBusy = true
            switch waiting.removeFirst() {
            case .failure(let error): answer(ControlReply(error: error.description))
            case .success(let request):
                handler(request) { [weak self] reply in
                    self?.answer(reply)
                    self?.answerNext()
                }
            }
        }
        if isReadingSuspended, waiting.isEmpty {
            isReadingSuspended = false
            watch?.resume()
        }
    }

    private func answer(_ reply: ControlReply) {
        guard isBusy, watch != nil else { return }
        isBusy = false
        let bytes = Array((reply.line + "\n").utf8)
        let sent = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        // A reply is far smaller than the socket's buffer: who has not read many of them will not read this one.
        if sent != bytes.count { close() }
    }
}
