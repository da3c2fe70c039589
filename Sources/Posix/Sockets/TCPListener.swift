import Glibc

/// A TCP socket that listens. Whoever reaches its address can connect.
package final class TCPListener {
    /// Does not block. Open for as long as this object exists.
    package let descriptor: Int32
    /// Where it listens: the host in digits, and the port that the system has chosen.
    package let address: TCPAddress

    /// Listens.
    ///
    /// - Throws: ``SystemError``, with the code `EADDRINUSE` if another program uses the port.
    package init(at address: TCPAddress) throws(SystemError) {
        (descriptor, self.address) = try Self.listen(at: address)
    }

    deinit {
        close(descriptor)
    }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool {
        address.host == "::1" || address.host.hasPrefix("127.") || address.host.hasPrefix("::ffff:127.")
    }

    /// The next program that has connected. What is written to it is sent at once; if it vanishes, reading fails with
    /// `ETIMEDOUT` after a minute.
    ///
    /// - Returns: a descriptor that does not block, is closed on exec, and belongs to whoever takes it; nil if no
    ///   program has connected, or if it cannot be accepted: see `errno`.
    package func accept() -> Int32? {
        guard let connection = acceptConnection(descriptor) else { return nil }
        for (level, option, value) in Self.options { Self.set(level, option, value, of: connection) }
        return connection
    }

    /// Times are in seconds, that of `TCP_USER_TIMEOUT` in milliseconds. Without that one, Linux would not probe a peer
    /// that vanishes before it has acknowledged all that it was sent, but repeat that for a quarter of an hour.
    private static let options: [(level: Int32, option: Int32, value: Int32)] = [
        (Int32(IPPROTO_TCP), TCP_NODELAY, 1), (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
        (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
        (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000),
    ]

    private static func set(_ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Listening

    private static func listen(
        at wanted: TCPAddress
    ) throws(SystemError) -> (descriptor: Int32, address: TCPAddress) {
        let found = try resolve(wanted)
        defer { freeaddrinfo(found) }
        let place = found.pointee
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(place.ai_family, place.ai_socktype | flags, place.ai_protocol)
        guard descriptor >= 0 else { throw SystemError("cannot create a socket for \(wanted)") }
        do throws(SystemError) {
            // The system keeps the connections of a program that has ended for a minute.
            set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
            guard bind(descriptor, place.ai_addr, place.ai_addrlen) == 0, Glibc.listen(descriptor, 128) == 0 else {
                throw errno == EADDRINUSE
                    ? SystemError(text: "another program uses \(wanted)", code: EADDRINUSE)
                    : SystemError("cannot listen at \(wanted)")
            }
            return (descriptor, try address(of: descriptor))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// - Returns: at least one address, to be freed.
    private static func resolve(_ address: TCPAddress) throws(SystemError) -> UnsafeMutablePointer<addrinfo> {
        var hints = addrinfo()
        hints.ai_family = address.isIPv6 ? AF_INET6 : AF_INET
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &found)
        guard status == 0, let found else {
            throw SystemError(text: "unknown host \"\(address.host)\": \(String(cString: gai_strerror(status)))")
        }
        return found
    }

    /// Where a socket listens.
    private static func address(of descriptor: Int32) throws(SystemError) -> TCPAddress {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 8)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                getsockname(descriptor, name, &size) == 0
                    && getnameinfo(
                        name, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isKnown, let number = UInt16(text(port)) else { throw SystemError("cannot determine the port") }
        return TCPAddress(host: text(host), port: number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
