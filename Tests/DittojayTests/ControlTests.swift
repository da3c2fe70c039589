import Foundation
import GATTProfiles
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Dittojay

@Suite struct ControlRequestTests {
    @Test(
        arguments: [
            .version, .peripherals, .status, .events, .chirp([]), .chirp([0, 1, 255]),
            .burst(count: 5000, size: 180, rate: nil),
            .burst(count: 1, size: 4, rate: 12.5), .addService("chirp"), .removeService("odd \"name\"\n"),
            .addService(nil), .removeService(nil),
            .disconnect(central: nil), .disconnect(central: "00:AA:01:01:00:01"), .quit,
            .set(characteristic: "lab/store", value: [0, 255]), .send(characteristic: "echo", value: []),
            .clearFaults(characteristic: nil),
            .clearFaults(characteristic: "lab/store"), .addFault(characteristic: "store", Fault(on: .read, .noAnswer)),
            .addFault(characteristic: "store", Fault(on: .write, .error(0x80), skip: 1, times: 2)),
            .addFault(characteristic: "a", Fault(on: .notify, .drop, times: 3)),
            .addFault(characteristic: "a", Fault(on: .subscribe, .flood(count: 9, value: [1, 2]))),
            .addFault(characteristic: "a", Fault(on: .read, .delay(0.25))),
            .addFault(characteristic: "a", Fault(on: .subscribe, .disconnect)),
        ] as [ControlRequest])
    func `a request is understood by its receiver as it was meant`(request: ControlRequest) throws {
        #expect(!request.line.contains("\n"))
        #expect(try ControlRequest(line: request.line.utf8) == request)
    }

    @Test(arguments: [
        "", "{", "null", "[]", "1", "\"status\"", "{}", "{\"command\":1}", "{\"command\":\"fly\"}",
        "{\"command\":\"chirp\",\"value\":5}", "{\"command\":\"chirp\",\"value\":\"hex:0\"}",
        "{\"command\":\"set\",\"characteristic\":\"a\"}", "{\"command\":\"send\",\"value\":\"a\"}",
        "{\"command\":\"set\",\"characteristic\":\"a\",\"value\":\"u8:256\"}", "{\"command\":\"burst\"}",
        "{\"command\":\"burst\",\"count\":0,\"size\":20}",
        "{\"command\":\"burst\",\"count\":-1,\"size\":20}", "{\"command\":\"burst\",\"count\":1e99,\"size\":20}",
        "{\"command\":\"burst\",\"count\":1,\"size\":3}", "{\"command\":\"burst\",\"count\":1,\"size\":513}",
        "{\"command\":\"burst\",\"count\":1,\"size\":20,\"rate\":0}",
        "{\"command\":\"burst\",\"count\":1,\"size\":20,\"rate\":1e400}", "{\"command\":\"add-service\"}",
        "{\"command\":\"remove-service\",\"all\":false}",
        "{\"command\":\"remove-service\",\"all\":true,\"service\":\"a\"}", "{\"command\":\"add-fault\"}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\"}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\",\"action\":\"drop\"}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\",\"action\":\"error\",\"error\":\"0\"}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\",\"action\":\"delay\",\"seconds\":-1}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\",\"action\":\"no-answer\",\"times\":-1}",
        "{\"command\":\"add-fault\",\"characteristic\":\"a\",\"on\":\"read\",\"action\":\"no-answer\",\"nth\":0}",
        "\u{0}\u{1}\u{2}", "{\"command\":\"chirp\",\"value\":\"\(String(repeating: "x", count: 513))\"}",
    ])
    func `garbage is refused`(line: String) {
        #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(line: line.utf8) }
    }

    @Test func `bytes that are not even text are refused`() {
        #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(line: [0xFF, 0xFE, 0x00, 0x80]) }
    }

    @Test func `deeply nested JSON and requests above the limit are refused`() {
        let nested = String(repeating: "[", count: 4000)
        #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(line: nested.utf8) }
        let long = "{\"command\":\"status\"" + String(repeating: " ", count: 4096) + "}"
        #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(line: long.utf8) }
    }

    @Test(
        arguments: [
            ("c", .chirp([])), ("c hello", .chirp(Array("hello".utf8))), ("  c  two", .chirp(Array(" two".utf8))),
            ("c hex:00ff", .chirp([0, 255])), ("chirp u8:7", .chirp([7])),
            ("set store u8:1", .set(characteristic: "store", value: [1])),
            ("send lab/echo a b ", .send(characteristic: "lab/echo", value: Array("a b ".utf8))),
            ("set a ", .set(characteristic: "a", value: [])), ("+", .addService("chirp")),
            ("-", .removeService("chirp")), ("- pairing", .removeService("pairing")), ("- all", .removeService(nil)),
            ("+ all", .addService(nil)), ("s", .status),
            ("d", .disconnect(central: nil)), ("d AA", .disconnect(central: "AA")), ("q", .quit),
        ] as [(String, ControlRequest)])
    func `typed lines are understood`(line: String, request: ControlRequest) throws {
        #expect(try ControlRequest(typed: line) == request)
    }

    @Test(arguments: ["", "x", "c hex:0", "cc", "é", "set", "send ", "set a u8:256"])
    func `typed nonsense is refused`(line: String) {
        #expect(throws: ControlRequest.ParsingError.self) { try ControlRequest(typed: line) }
    }
}

@Suite struct LineSplitterTests {
    @Test func `lines come out whole however the bytes arrive`() {
        var splitter = LineSplitter(limit: 10)
        var lines: [LineSplitter.Element] = []
        for byte in Array("one\r\ntwo\n\nthree".utf8) { lines += splitter.append([byte]) }
        #expect(lines == [.line(Array("one".utf8)), .line(Array("two".utf8)), .line([])])
        #expect(splitter.append(Array("\n".utf8)) == [.line(Array("three".utf8))])
    }

    @Test func `a line above the limit is reported once, and the next is understood`() {
        var splitter = LineSplitter(limit: 4)
        #expect(splitter.append(Array("1234\n".utf8)) == [.line(Array("1234".utf8))])
        #expect(splitter.append(Array("12345".utf8)) == [.tooLong])
        #expect(splitter.append(Array("6789 and so on\nab\n".utf8)) == [.line(Array("ab".utf8))])
    }
}

@Suite struct ControlSocketTests {
    private let queue = DispatchQueue(label: "test")
    private let clock: ManualClock
    private let folder: TemporaryFolder

    init() throws {
        clock = ManualClock(queue: queue)
        folder = try TemporaryFolder()
    }

    private var address: ControlSocketAddress { ControlSocketAddress(path: folder.path + "/socket", environment: [:]) }

    /// A server that chirps to as many subscribers as the value has bytes.
    private func makeServer() throws -> ControlServer {
        try ControlServer(address, clock: clock) { request, reply in
            var answer = ControlReply()
            if case .chirp(let value) = request.request { answer.subscribers = value.count }
            if case .quit = request.request { answer = ControlReply(error: "never") }
            reply(answer)
        }
    }

    private func withServer(_ body: () throws -> Void) throws {
        let server = try makeServer()
        defer { queue.sync { server.stop() } }
        try body()
    }

    /// Sends bytes as they are and returns what comes back, up to `lines` lines or the end.
    private func exchange(_ bytes: [UInt8], lines: Int) throws -> [String] {
        let descriptor = try UnixSocket.connected(to: address.path)
        defer { close(descriptor) }
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var splitter = LineSplitter(limit: 1 << 16)
        var result: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while result.count < lines {
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&poller, 1, 10_000) == 1, "no answer in time")
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for case .line(let line) in splitter.append(buffer[..<count]) {
                result.append(String(decoding: line, as: UTF8.self))
            }
        }
        return result
    }

    @Test func `a client gets the answer to its request`() throws {
        try withServer {
            let reply = try ControlClient.send(.chirp([1, 2, 3]), to: address)
            #expect(reply.subscribers == 3)
        }
    }

    @Test func `a refusal reaches the client as an error`() throws {
        try withServer {
            #expect(throws: DittojayError.refused("never")) { try ControlClient.send(.quit, to: address) }
        }
    }

    @Test func `garbage gets an error, and the connection goes on`() throws {
        try withServer {
            let replies = try exchange(
                [0xFF, 0x00, 0x0A] + Array("{\"command\":\"chirp\",\"value\":\"ab\"}\n".utf8), lines: 2)
            #expect(replies.count == 2)
            #expect(replies.first?.hasPrefix("{\"ok\":false,\"error\":") == true)
            #expect(replies.last == "{\"ok\":true,\"subscribers\":2}")
        }
    }

    @Test func `an endless line gets an error`() throws {
        try withServer {
            let replies = try exchange([UInt8](repeating: 0x20, count: 5000), lines: 1)
            #expect(replies.first?.contains("request too long (limit 4096 bytes)") == true)
        }
    }

    @Test func `many requests at once are answered in order`() throws {
        try withServer {
            let requests = (0..<100).map { ControlRequest.chirp([UInt8](repeating: 0, count: $0)).line + "\n" }
            let replies = try exchange(requests.flatMap { Array($0.utf8) }, lines: 100)
            #expect(replies == (0..<100).map { "{\"ok\":true,\"subscribers\":\($0)}" })
        }
    }

    @Test func `the socket is for its user only, and gone when the server stops`() throws {
        let address = address
        try withServer {
            var info = stat()
            #expect(lstat(address.path, &info) == 0)
            #expect(info.st_mode & 0o777 == 0o600)
        }
        #expect(access(address.path, F_OK) != 0)
    }

    @Test func `a second server at the same place is refused, and the first goes on`() throws {
        try withServer {
            #expect(throws: DittojayError.alreadyRunning(socket: address.path)) { try makeServer() }
            let reply = try ControlClient.send(.chirp([]), to: address)
            #expect(reply.ok)
        }
    }

    @Test func `a socket that nobody listens at is replaced`() throws {
        let descriptor = try UnixSocket.make()
        try #require(try UnixSocket.withAddress(of: address.path) { bind(descriptor, $0, $1) } == 0)
        close(descriptor)
        #expect(throws: DittojayError.notRunning(socket: address.path)) {
            try ControlClient.send(.status, to: address)
        }
        try withServer {
            let reply = try ControlClient.send(.chirp([]), to: address)
            #expect(reply.ok)
        }
    }

    @Test func `a file that is no socket is left alone`() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: address.path))
        #expect(throws: DittojayError.self) { try makeServer() }
        #expect(FileManager.default.contents(atPath: address.path) == Data("mine".utf8))
    }

    @Test func `a path that is too long is an error`() {
        let address = ControlSocketAddress(path: "/tmp/" + String(repeating: "x", count: 200), environment: [:])
        #expect(throws: DittojayError.self) { try ControlClient.send(.status, to: address) }
    }

    @Test func `the place is the user's runtime folder, or a temporary one`() {
        #expect(ControlSocketAddress(path: nil, environment: ["DITTOJAY_SOCKET": "/a/b"]).path == "/a/b")
        #expect(ControlSocketAddress(path: "/c", environment: ["DITTOJAY_SOCKET": "/a/b"]).path == "/c")
        #expect(
            ControlSocketAddress(path: nil, environment: ["XDG_RUNTIME_DIR": folder.path]).path == folder.path
                + "/dittojay.sock")
        #expect(RuntimeFolder(program: "dittojay", environment: ["XDG_RUNTIME_DIR": folder.path]).path == folder.path)
        let fallback = ControlSocketAddress(path: nil, environment: ["XDG_RUNTIME_DIR": "/nowhere"]).path
        #expect(fallback.hasSuffix("/dittojay.sock") && !fallback.hasPrefix("/nowhere"))
    }

    // MARK: Bounds

    /// A client that does as a test says.
    private final class Client {
        let descriptor: Int32

        init(_ address: ControlSocketAddress) throws {
            descriptor = try UnixSocket.connected(to: address.path)
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// What comes until the other end is closed, or until a line has ended.
        func read(line: Bool = false) throws -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !line || bytes.last != UInt8(ascii: "\n") {
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&poller, 1, 20_000) == 1, "nothing comes in time")
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            return bytes
        }
    }

    /// A server whose answers to a chirp have 256 kB for each byte of the value, and that answers a quit never.
    private func withServer(
        _ limits: ControlServer.Limits = .init(), onChirp: @escaping @Sendable () -> Void = {},
        _ body: () throws -> Void
    ) throws {
        let server = try ControlServer(address, clock: clock, limits: limits) { request, reply in
            var answer = ControlReply()
            if case .quit = request.request { return }
            if case .chirp(let value) = request.request {
                onChirp()
                answer.disconnected = [String(repeating: "x", count: value.count << 18)]
            }
            reply(answer)
        }
        defer { queue.sync { server.stop() } }
        try body()
    }

    @Test func `an answer above the socket's buffer arrives whole, and the next one after it`() throws {
        try withServer(.init()) {
            let reply = try ControlClient.send(.chirp([1, 2, 3]), to: address)
            #expect(reply.disconnected?.first?.utf8.count == 3 << 18)
            let client = try Client(address)
            client.send(ControlRequest.chirp([1]).line + "\n" + ControlRequest.status.line + "\n")
            let first = try client.read(line: true)
            #expect(first.count > 1 << 18)
            #expect(try first.last == UInt8(ascii: "\n") || client.read(line: true).last == UInt8(ascii: "\n"))
        }
    }

    @Test func `what was asked for is answered after the client has ended its side`() throws {
        try withServer(.init()) {
            let client = try Client(address)
            client.send(ControlRequest.chirp([1]).line + "\n" + ControlRequest.chirp([1, 2]).line + "\n")
            shutdown(client.descriptor, Int32(SHUT_WR))
            let bytes = try client.read()
            #expect(bytes.count > 3 << 18 && bytes.last == UInt8(ascii: "\n"))
        }
    }

    @Test func `answers that nobody takes do not pile up: the next request waits for it`() throws {
        let chirps = Mutex(0)
        try withServer(.init(), onChirp: { chirps.withLock { $0 += 1 } }) {
            let client = try Client(address)
            client.send(String(repeating: ControlRequest.chirp([1]).line + "\n", count: 50))
            // Another client is served meanwhile, so what the first one has sent was seen.
            for _ in 0..<20 { _ = try ControlClient.send(.status, to: address) }
            #expect(chirps.withLock(\.self) == 1)
        }
    }

    @Test func `when there are too many clients the one that was idle for longest makes room`() throws {
        try withServer(.init(clients: 4)) {
            let idle = try (0..<4).map { _ in
                let client = try Client(address)
                client.send(ControlRequest.status.line + "\n")
                _ = try client.read(line: true)
                queue.sync { clock.advance(by: 1) }
                return client
            }
            // The first one is in use again.
            idle[0].send(ControlRequest.status.line + "\n")
            _ = try idle[0].read(line: true)
            #expect(try ControlClient.send(.status, to: address).ok)
            #expect(try idle[1].read().isEmpty, "closed")
            idle[0].send(ControlRequest.status.line + "\n")
            #expect(try idle[0].read(line: true).isEmpty == false)
        }
    }

    @Test func `a client that finds all others waiting for their answers is refused in words`() throws {
        try withServer(.init(clients: 2)) {
            let busy = try (0..<2).map { _ in
                let client = try Client(address)
                // The answer to the first request says that the second one is being carried out.
                client.send(ControlRequest.status.line + "\n" + ControlRequest.quit.line + "\n")
                _ = try client.read(line: true)
                return client
            }
            let error = #expect(throws: DittojayError.self) { try ControlClient.send(.status, to: address) }
            #expect(error == .refused("too many connections (limit 2)"))
            #expect(busy.count == 2)
        }
    }

    @Test func `a client that is idle for long is closed, one that waits for its answer is not`() throws {
        try withServer(.init(idleTime: 60)) {
            let waiting = try Client(address)
            // The answer to the first request says that the second one is being carried out.
            waiting.send(ControlRequest.status.line + "\n" + ControlRequest.quit.line + "\n")
            _ = try waiting.read(line: true)
            for _ in 0..<2 {
                let idle = try Client(address)
                idle.send(ControlRequest.status.line + "\n")
                _ = try idle.read(line: true)
                queue.sync { clock.advance(by: 121) }
                #expect(try idle.read().isEmpty)
            }
            var poller = pollfd(fd: waiting.descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&poller, 1, 0) == 0, "still open")
        }
    }
}
