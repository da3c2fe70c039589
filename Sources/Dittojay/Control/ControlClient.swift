import Foundation
import Posix

/// Sends commands to a running dittojay. Blocks the calling thread.
public enum ControlClient {
    /// Sends one request and waits for its answer without a time limit, since a burst takes as long as it takes. The
    /// wait ends if dittojay does.
    ///
    /// - Parameter peripheral: which of the process's peripherals the request is for: its id, its controller, or its
    ///   name if it is the only one of that name. Nil: the only one.
    /// - Throws: ``DittojayError``: `notRunning` if no dittojay listens; `refused` if the command was not carried out.
    public static func send(
        _ request: ControlRequest, to address: ControlSocketAddress, peripheral: String? = nil
    ) throws(DittojayError) -> ControlReply {
        let descriptor = try connected(to: address)
        defer { close(descriptor) }
        try send(AddressedRequest(request, for: peripheral), on: descriptor, address)
        var lines = IncomingLines(descriptor)
        guard let line = try lines.next(address) else {
            throw .controlSocket("dittojay at \(address.path) ended before it answered")
        }
        return try accepted(line)
    }

    /// Asks for the events and calls `body` with each line as it comes, until dittojay ends.
    ///
    /// - Parameter peripheral: whose events. Nil: those of all.
    /// - Throws: ``DittojayError`` as ``send(_:to:peripheral:)``, and what `body` throws.
    public static func follow(
        _ address: ControlSocketAddress, peripheral: String? = nil, _ body: ([UInt8]) throws -> Void
    ) throws {
        let descriptor = try connected(to: address)
        defer { close(descriptor) }
        try send(AddressedRequest(.events, for: peripheral), on: descriptor, address)
        var lines = IncomingLines(descriptor)
        guard let line = try lines.next(address) else {
            throw DittojayError.controlSocket("dittojay at \(address.path) ended before it answered")
        }
        _ = try accepted(line)
        while let line = try lines.next(address) { try body(line) }
    }

    private static func connected(to address: ControlSocketAddress) throws(DittojayError) -> Int32 {
        do throws(SystemError) {
            return try UnixSocket.connected(to: address.path)
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED, ENOTDIR: throw .notRunning(socket: address.path)
            default: throw .controlSocket(error.description)
            }
        }
    }

    private static func send(
        _ request: AddressedRequest, on descriptor: Int32, _ address: ControlSocketAddress
    ) throws(DittojayError) {
        let line = Array((request.line + "\n").utf8)
        var start = 0
        while start < line.count {
            let count = line[start...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                start += count
            } else if errno == EPIPE || errno == ECONNRESET {
                // dittojay has closed the connection; it may have said why.
                break
            } else if errno != EINTR {
                throw .controlSocket("dittojay at \(address.path) does not accept the command: \(SystemError.reason())")
            }
        }
    }

    private static func accepted(_ line: [UInt8]) throws(DittojayError) -> ControlReply {
        let reply = try decode(line)
        guard reply.ok else { throw .refused(reply.error ?? "dittojay refused the command") }
        return reply
    }

    /// In bytes. The status of the largest peripheral that a file can describe is shorter.
    private static let maximumReplyLength = 1 << 24

    private struct IncomingLines {
        private let descriptor: Int32
        private var splitter = LineSplitter(limit: maximumReplyLength)
        private var buffer = [UInt8](repeating: 0, count: 4096)
        /// The lines that have arrived, the next one last.
        private var lines: [LineSplitter.Element] = []

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        /// The next line; nil at the end.
        mutating func next(_ address: ControlSocketAddress) throws(DittojayError) -> [UInt8]? {
            while lines.isEmpty {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                lines = splitter.append(buffer[..<count]).reversed()
            }
            switch lines.removeLast() {
            case .line(let line): return line
            case .tooLong: throw .controlSocket("the reply from \(address.path) is too long to be dittojay's")
            }
        }
    }

    private static func decode(_ line: [UInt8]) throws(DittojayError) -> ControlReply {
        do {
            return try JSONDecoder().decode(ControlReply.self, from: Data(line))
        } catch {
            throw .controlSocket("the reply is not dittojay's: \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
    }
}
