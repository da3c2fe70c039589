import Foundation
import MainLoop

/// One connection of a browser: a request, and its response or a stream. Used on one queue only.
package final class HTTPConnection {
    /// Called once when the connection is closed, by either side.
    package var onClose: (() -> Void)?
    /// When it was accepted.
    let begin = ContinuousClock.now

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let limits: HTTPLimits
    private var parser: HTTPRequestParser
    private var readable: DescriptorWatch?
    private var writable: DescriptorWatch?
    private var deadline: DispatchWorkItem?
    private var output = SendBuffer()
    /// Whether the connection ends when the output was taken.
    private var endsWithOutput = false
    private var isStreaming = false
    private var onRequest: ((HTTPRequest, HTTPConnection) -> Void)?
    private var serverClosed: (() -> Void)?

    /// Takes ownership of the descriptor, which does not block.
    init(
        _ descriptor: Int32, queue: DispatchQueue, limits: HTTPLimits,
        onRequest: @escaping (HTTPRequest, HTTPConnection) -> Void, onClose: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.limits = limits
        self.onRequest = onRequest
        serverClosed = onClose
        parser = HTTPRequestParser(limits: limits)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { writable = DescriptorWatch(copy, for: .writable, queue: queue) { [weak self] in self?.flush() } }
        // The watch keeps the connection until it is closed.
        readable = DescriptorWatch(descriptor, queue: queue) { self.read() }
        readable?.start()
        expire(in: limits.arrival) { $0.refuse(.requestTimeout) }
    }

    package var isOpen: Bool { readable != nil }

    /// Whether it still waits for the end of its request.
    var isIncomplete: Bool { onRequest != nil }

    // MARK: Requests

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        // What comes after the request is of no interest.
        guard let handle = onRequest else { return }
        switch parser.append(buffer[..<count]) {
        case .incomplete: break
        case .refused(let status): refuse(status)
        case .request(let request):
            onRequest = nil
            deadline?.cancel()
            handle(request, self)
        }
    }

    private func refuse(_ status: HTTPStatus) {
        onRequest = nil
        respond(HTTPResponse(status))
    }

    // MARK: Responses

    /// Answers the request, and ends the connection.
    package func respond(_ response: HTTPResponse) {
        guard isOpen, !isStreaming else { return }
        endsWithOutput = true
        expire(in: limits.departure) { $0.close() }
        put(response.head(isStream: false) + response.body)
    }

    /// Answers the request with a stream that lasts as long as the connection.
    package func beginStream(_ response: HTTPResponse) {
        guard isOpen, !endsWithOutput else { return }
        isStreaming = true
        put(response.head(isStream: true))
    }

    /// How many bytes wait for the reader of the stream.
    package var waiting: Int { output.count }

    /// Sends a part of the stream.
    ///
    /// - Returns: false if so much waits that it was left out.
    package func send(_ bytes: [UInt8]) -> Bool {
        guard isOpen, isStreaming, output.count + bytes.count <= limits.waiting else { return false }
        put(bytes)
        return true
    }

    private func put(_ bytes: [UInt8]) {
        let isWaiting = !output.isEmpty
        output.append(bytes)
        if !isWaiting { flush() }
    }

    private func flush() {
        guard isOpen else { return }
        switch output.send(to: descriptor) {
        case .sentAll:
            writable?.suspend()
            if endsWithOutput { finish() }
        case .isFull: writable?.resume()
        case .failed: close()
        }
    }

    /// Ends the sending side first: closing at once could reset what the browser has not read.
    private func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        expire(in: 1) { $0.close() }
    }

    // MARK: Its end

    private func expire(in seconds: Double, _ action: @escaping (HTTPConnection) -> Void) {
        deadline?.cancel()
        let work = DispatchWorkItem { [weak self] in
            guard let self, isOpen else { return }
            action(self)
        }
        deadline = work
        queue.asyncAfter(deadline: .now() + seconds, execute: work)
    }

    /// Closes the connection. Does nothing the second time.
    package func close() {
        guard let readable else { return }
        self.readable = nil
        deadline?.cancel()
        shutdown(descriptor, Int32(SHUT_RDWR))
        readable.cancel()
        writable?.cancel()
        writable = nil
        output.removeAll()
        onRequest = nil
        let closed = onClose
        let removed = serverClosed
        (onClose, serverClosed) = (nil, nil)
        closed?()
        removed?()
    }
}
