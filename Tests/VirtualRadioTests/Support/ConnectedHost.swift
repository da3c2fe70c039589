import Foundation
import Posix
import Testing

@testable import VirtualRadioCommand

/// A program that connects to a radio's socket. The radio takes its turns in the test's thread, whenever the program
/// waits for something.
final class ConnectedHost {
    private let descriptor: Int32
    private let loop: RadioLoop

    /// Connects to a Unix socket.
    convenience init(_ path: String, _ loop: RadioLoop) throws {
        self.init(try UnixSocket.connected(to: path), loop)
    }

    /// Connects by TCP.
    convenience init(_ address: TCPAddress, _ loop: RadioLoop) throws {
        self.init(try Self.connection(to: address), loop)
    }

    private init(_ descriptor: Int32, _ loop: RadioLoop) {
        self.descriptor = descriptor
        self.loop = loop
        loop.turn()
    }

    deinit {
        close(descriptor)
    }

    /// A socket that is connected to an address in digits. Blocks.
    static func connection(to address: TCPAddress) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        try #require(getaddrinfo(address.host, String(address.port), &hints, &found) == 0)
        defer { freeaddrinfo(found) }
        let place = try #require(found).pointee
        let descriptor = socket(place.ai_family, place.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), place.ai_protocol)
        try #require(connect(descriptor, place.ai_addr, place.ai_addrlen) == 0)
        return descriptor
    }

    /// Whether the program has not closed the connection, which is by a Unix socket.
    var isConnected: Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&polled, 1, 0) == 0
    }

    func send(_ bytes: [UInt8]) {
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        loop.turn()
    }

    /// Ends a TCP connection by an error instead of in order.
    func abort() {
        // Sends a reset, and leaves the descriptor open.
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        #expect(connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size)) == 0)
        loop.turn()
    }

    /// What comes next, while the program takes turns for five seconds at most. Empty: the program has closed.
    func receive() throws -> [UInt8] {
        let end = Date(timeIntervalSinceNow: 5)
        while Date() < end {
            // By TCP, what the radio has sent may still be on its way, and the radio may have nothing more to wait for.
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&polled, 1, 100)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return Array(buffer[..<count]) }
            loop.turn()
        }
        Issue.record("nothing has come")
        return []
    }
}
