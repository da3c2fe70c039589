import Foundation

/// Sends commands to a running dittojay. Blocks the calling thread.
public enum ControlClient {
    /// Sends one request and waits for its answer, without a limit: a burst takes as long as it takes. If dittojay ends
    /// meanwhile the wait does, too.
    ///
    /// - Throws: ``DittojayError``: `notRunning` if nobody listens; `refused` if the command was not carried out.
    public static func send(
        _ request: ControlRequest, to address: ControlSocketAddress
    ) throws(DittojayError) -> ControlReply {
        let descriptor = try makeUnixSocket()
        defer { close(descriptor) }
        guard try address.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else {
            switch errno {
            case ENOENT, ECONNREFUSED, ENOTDIR: throw .notRunning(socket: address.path)
            default: throw .controlSocket("cannot reach dittojay at \(address.path): \(systemError())")
            }
        }
        let line = Array((request.line + "\n").utf8)
        var start = 0
        while start < line.count {
            let count = line[start...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                start += count
            } else if errno == EPIPE || errno == ECONNRESET {
                // It has closed the connection; it may have said why.
                break
            } else if errno != EINTR {
                throw .controlSocket("dittojay at \(address.path) does not take the command: \(systemError())")
            }
        }
        let reply = try decode(try readLine(descriptor, address))
        guard reply.ok else { throw .refused(reply.error ?? "dittojay has refused the command") }
        return reply
    }

    /// In bytes. The status of the largest peripheral that a file can describe is below it.
    private static let maximumReplyLength = 1 << 24

    private static func readLine(_ descriptor: Int32, _ address: ControlSocketAddress) throws(DittojayError) -> [UInt8]
    {
        var splitter = LineSplitter(limit: maximumReplyLength)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .controlSocket("dittojay at \(address.path) ended before it answered") }
            switch splitter.append(buffer[..<count]).first {
            case .line(let line): return line
            case .tooLong: throw .controlSocket("the answer from \(address.path) is too long to be dittojay's")
            case nil: continue
            }
        }
    }

    private static func decode(_ line: [UInt8]) throws(DittojayError) -> ControlReply {
        do {
            return try JSONDecoder().decode(ControlReply.self, from: Data(line))
        } catch {
            throw .controlSocket("the answer is not dittojay's: \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
    }
}
