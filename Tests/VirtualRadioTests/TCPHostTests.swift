import Foundation
import Posix
import Testing

@testable import VirtualRadioCommand

/// Where hosts connect by TCP. What they get is in HostSocketTests.
@Suite struct TCPHostTests {
    @Test(
        arguments: [
            ("tcp:5000", "127.0.0.1", 5000), ("tcp:0", "127.0.0.1", 0), ("tcp:0.0.0.0:65535", "0.0.0.0", 65535),
            ("tcp:radio.example:1", "radio.example", 1), ("tcp:[::1]:5000", "::1", 5000),
            ("tcp:[fe80::1%eth0]:5000", "fe80::1%eth0", 5000),
        ] as [(String, String, UInt16)])
    func `an address is a port, or a host and a port`(text: String, host: String, port: UInt16) throws {
        let address = try TCPAddress(text)
        #expect(address.host == host && address.port == port)
        #expect(try TCPAddress(address.description) == address)
    }

    @Test(arguments: [
        ("tcp:", ""), ("tcp:65536", "65536"), ("tcp:-1", "-1"), ("tcp:+1", "+1"), ("tcp:0x10", "0x10"),
        ("tcp:127.0.0.1:", ""), ("tcp:127.0.0.1:http", "http"), ("tcp:localhost", "localhost"),
        ("tcp:[::1]:99999999999999999999", "99999999999999999999"), ("tcp:٣", "٣"),
    ])
    func `a port that is not valid is named`(text: String, port: String) throws {
        let error = #expect(throws: SystemError.self) { try TCPAddress(text) }
        #expect(error?.description == "invalid port \"\(port)\" in \(text); valid: 0 to 65535")
    }

    @Test(arguments: [
        "", "5000", "udp:5000", "tcp::5000", "tcp:::1:5000", "tcp:[::1]", "tcp:[::1:5000", "tcp:::1]:5000",
        "tcp:[]:5000", "tcp:[127.0.0.1]:5000", "tcp:[[::1]]:5000", "tcp:[:5000",
    ])
    func `an address that is not valid is named, with those that are`(text: String) throws {
        let error = #expect(throws: SystemError.self) { try TCPAddress(text) }
        let valid = "valid: tcp:PORT, tcp:ADDRESS:PORT, tcp:[IPV6-ADDRESS]:PORT"
        #expect(error?.description == "invalid address \"\(text)\"; \(valid)")
    }

    @Test func `the system chooses a port, which only this machine reaches`() throws {
        let listener = try HostListener("tcp:0")
        let address = try #require(listener.address)
        #expect(address.host == "127.0.0.1" && address.port != 0 && listener.warning == nil)
        #expect(listener.accept() == nil)
        let connection = try ConnectedHost.connection(to: address)
        defer { close(connection) }
        #expect(listener.accept() != nil)
    }

    @Test func `a warning names what others reach`() throws {
        let listener = try HostListener("tcp:0.0.0.0:0")
        let port = try #require(listener.address).port
        let warning = try #require(listener.warning)
        #expect(warning.hasPrefix("whoever reaches tcp:0.0.0.0:\(port) gets a controller") && !warning.contains("\n"))
    }

    @Test func `a port that another program uses is refused`() throws {
        let listener = try HostListener("tcp:0")
        let place = try #require(listener.address).description
        let error = #expect(throws: SystemError.self) { try HostListener(place) }
        #expect(error == SystemError(text: "another program uses \(place)", code: EADDRINUSE))
    }

    /// The radio closes first, so that its end of the connection is kept by the system for a minute.
    @Test func `the port of a program that has just ended is free`() throws {
        var listener: HostListener? = try HostListener("tcp:0")
        let address = try #require(listener?.address)
        let connection = try ConnectedHost.connection(to: address)
        do { _ = try #require(listener?.accept()) }
        var byte: UInt8 = 0
        #expect(read(connection, &byte, 1) == 0)
        close(connection)
        listener = nil
        listener = try HostListener(address.description)
        #expect(listener?.address == address)
    }

    @Test(arguments: [
        ("tcp:192.0.2.1:0", "cannot listen at tcp:192.0.2.1:0: Cannot assign requested address"),
        // Too long for a name, so that nobody is asked for it.
        ("tcp:\(String(repeating: "x", count: 300)):0", "unknown host \"\(String(repeating: "x", count: 300))\": "),
        ("tcp:70000", "invalid port \"70000\""), ("tcp:[::1]", "invalid address \"tcp:[::1]\""),
    ])
    func `what keeps a radio from listening is said in a line`(place: String, reason: String) throws {
        let error = #expect(throws: SystemError.self) { try RadioLoop(try Arguments(["--h4", place])) }
        let text = try #require(error).description
        #expect(text.hasPrefix(reason) && !text.contains("\n"))
    }

    @Test(
        arguments: [
            (Int32(IPPROTO_TCP), TCP_NODELAY, 1), (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
            (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000),
        ] as [(Int32, Int32, Int32)])
    func `packets are sent at once, and a host that vanishes is noticed`(
        level: Int32, option: Int32, wanted: Int32
    ) throws {
        let listener = try HostListener("tcp:0")
        let connection = try ConnectedHost.connection(to: try #require(listener.address))
        defer { close(connection) }
        let host = try #require(listener.accept())
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(host.descriptor, level, option, &value, &size) == 0 && value == wanted)
        #expect(fcntl(host.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(host.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func `a connection that ends in an error frees its controller`() throws {
        try withLoop("tcp:0") { loop, address in
            let first = try ConnectedHost(address, loop)
            first.abort()
            let next = try ConnectedHost(address, loop)
            next.send([1, 9, 0x10, 0])
            #expect(try next.receive() == [4, 0x0E, 10, 1, 9, 0x10, 0, 0, 0, 0, 1, 0xAA, 0])
        }
    }

    @Test(.enabled(if: TCPHostTests.hasIPv6)) func `a host connects by IPv6`() throws {
        try withLoop("tcp:[::1]:0") { loop, address in
            #expect(address.description == "tcp:[::1]:\(address.port)" && loop.listeners[0].warning == nil)
            let host = try ConnectedHost(address, loop)
            host.send([1, 3, 0x0C, 0])
            #expect(try host.receive() == [4, 0x0E, 4, 1, 3, 0x0C, 0])
        }
    }

    /// Calls `body` with a radio and where it listens.
    private func withLoop(_ place: String, _ body: (RadioLoop, TCPAddress) throws -> Void) throws {
        let commands = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { unlink(commands) }
        let loop = try RadioLoop(try Arguments(["--h4", place, "--socket", commands]))
        try body(loop, try #require(loop.listeners.first?.address))
    }

    /// Whether this machine has the loopback address of IPv6.
    static let hasIPv6 =
        (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.contains(
            "00000000000000000000000000000001") == true
}
