import Foundation

/// A connection to a server on this machine, for tests: blocking, and closed in the end.
package final class LoopbackClient {
    private let descriptor: Int32

    package struct Failure: Error {}

    package init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure() }
        // So that a test fails instead of waiting forever.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The next bytes as a text; nil at the end.
    package func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// All that comes until the end.
    package func receiveAll() -> String {
        var text = ""
        while let more = receive() { text += more }
        return text
    }

    /// Sends a request, and waits for all of the response.
    package static func response(_ request: String, port: UInt16) throws -> String {
        let client = try LoopbackClient(port: port)
        client.send(request)
        return client.receiveAll()
    }
}
