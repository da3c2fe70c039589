package import Foundation
import MainLoop
package import Posix

/// Listens at a port of 127.0.0.1, which only programs on this machine reach. Used on one queue only.
///
/// Each connection has one request: what a page on the same machine asks for costs no time to connect, and nothing has
/// to be known of where one request ends and the next one begins.
package final class HTTPServer {
    package typealias Handler = (_ request: HTTPRequest, _ connection: HTTPConnection) -> Void

    /// The port that it listens at.
    package let port: UInt16
    private let queue: DispatchQueue
    private let limits: HTTPLimits
    private let handler: Handler
    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]

    /// How many connections are accepted before others get their turn on the queue.
    private static let connectionsPerTurn = 32

    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - queue: a serial queue.
    ///   - handler: answers each request, now or later.
    package init(
        port: UInt16, queue: DispatchQueue, limits: HTTPLimits = HTTPLimits(), handler: @escaping Handler
    ) throws(SystemError) {
        self.queue = queue
        self.limits = limits
        self.handler = handler
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot create a socket") }
        do throws(SystemError) {
            self.port = try Self.listen(descriptor, port)
        } catch {
            close(descriptor)
            throw error
        }
        watch = DescriptorWatch(descriptor, queue: queue) { [weak self] in self?.accept() }
        watch?.start()
    }

    deinit {
        watch?.cancel()
    }

    /// Stops listening and closes all connections. Does nothing the second time.
    package func stop() {
        watch?.cancel()
        watch = nil
        for connection in Array(connections.values) { connection.close() }
    }

    private static func listen(_ descriptor: Int32, _ port: UInt16) throws(SystemError) -> UInt16 {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, Glibc.listen(descriptor, 64) == 0 else {
            throw SystemError("cannot listen on port \(port) of 127.0.0.1")
        }
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        guard isKnown else { throw SystemError("cannot determine the port") }
        return UInt16(bigEndian: address.sin_port)
    }

    private func accept() {
        for _ in 0..<Self.connectionsPerTurn where watch != nil {
            let accepted = Glibc.accept(descriptor, nil, nil)
            guard accepted >= 0 else {
                if errno == EMFILE || errno == ENFILE { waitForDescriptors() }
                return
            }
            _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK)
            _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
            add(accepted)
        }
    }

    /// Without a descriptor for it, the next connection would be reported again and again.
    private func waitForDescriptors() {
        _ = closeOldestIncomplete()
        watch?.suspend()
        let work = DispatchWorkItem { [weak self] in self?.watch?.resume() }
        queue.asyncAfter(deadline: .now() + 0.2, execute: work)
    }

    private func add(_ accepted: Int32) {
        let isFull = connections.count >= limits.connections && !closeOldestIncomplete()
        var identifier: ObjectIdentifier?
        let connection = HTTPConnection(
            accepted, queue: queue, limits: limits, onRequest: handler,
            onClose: { [weak self] in if let identifier { self?.connections[identifier] = nil } })
        if isFull { return connection.close() }
        identifier = ObjectIdentifier(connection)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Makes room: a connection whose request has not arrived may be one that somebody only holds open.
    private func closeOldestIncomplete() -> Bool {
        let oldest = connections.values.filter(\.isIncomplete).min { $0.begin < $1.begin }
        oldest?.close()
        return oldest != nil
    }
}
