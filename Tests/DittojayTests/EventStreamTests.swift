import Foundation
import LineOutput
import PlainText
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Dittojay

@Suite struct EventStreamTests {
    private let queue = DispatchQueue(label: "test")
    private let clock: ManualClock
    private let folder: TemporaryFolder

    init() throws {
        clock = ManualClock(queue: queue)
        folder = try TemporaryFolder()
    }

    private var address: ControlSocketAddress { ControlSocketAddress(path: folder.path + "/socket", environment: [:]) }

    /// A server that answers every other request with a plain success.
    private func withServer(
        _ limits: ControlServer.Limits = .init(), _ body: (ControlServer) throws -> Void
    ) throws {
        let server = try ControlServer(address, clock: clock, limits: limits) { _, reply in reply(ControlReply()) }
        defer { queue.sync { server.stop() } }
        try body(server)
    }

    private func event(_ number: Int, padding: Int = 0) -> PeripheralEvent {
        var event = PeripheralEvent(.sent)
        event.message = "\(number)" + String(repeating: "x", count: padding)
        return event
    }

    /// A program at the other end, which reads line by line.
    private final class Reader {
        let descriptor: Int32
        private var splitter = LineSplitter(limit: 1 << 20)
        private var lines: [String] = []

        init(_ address: ControlSocketAddress) throws {
            descriptor = try UnixSocket.connected(to: address.path)
        }

        deinit { close(descriptor) }

        func send(_ request: ControlRequest) {
            let line = request.line + "\n"
            _ = Glibc.send(descriptor, line, line.utf8.count, Int32(MSG_NOSIGNAL))
        }

        /// The next line; nil at the end.
        func line() throws -> String? {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while lines.isEmpty {
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&poller, 1, 20_000) == 1, "nothing comes in time")
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return nil }
                for case .line(let line) in splitter.append(buffer[..<count]) {
                    lines.append(String(decoding: line, as: UTF8.self))
                }
            }
            return lines.removeFirst()
        }

        /// Asks for the events, and returns the answer.
        func follow() throws -> String? {
            send(.events)
            return try line()
        }

        /// The number of the next event.
        func number() throws -> Int? {
            let event = PeripheralEvent(line: Array((try line() ?? "").utf8))
            return event?.message.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test func `every reader gets every event, and one that has not asked gets none`() throws {
        try withServer { server in
            let (first, second, other) = (try Reader(address), try Reader(address), try Reader(address))
            #expect(try first.follow() == "{\"ok\":true,\"protocol\":1}")
            queue.sync { server.send(event(1)) }
            #expect(try second.follow() == "{\"ok\":true,\"protocol\":1}")
            queue.sync { server.send(event(2)) }
            #expect(try [first.number(), first.number(), second.number()] == [1, 2, 2])
            other.send(.status)
            #expect(try other.line() == "{\"ok\":true}")
        }
    }

    @Test func `requests on the same connection are answered between the events, in their order`() throws {
        try withServer { server in
            let reader = try Reader(address)
            _ = try reader.follow()
            queue.sync { server.send(event(1)) }
            reader.send(.status)
            #expect(try reader.number() == 1)
            #expect(try reader.line() == "{\"ok\":true}")
            // Asked for once more they do not come twice.
            #expect(try reader.follow() == "{\"ok\":true,\"protocol\":1}")
            queue.sync { server.send(event(2)) }
            queue.sync { server.send(event(3)) }
            #expect(try [reader.number(), reader.number()] == [2, 3])
        }
    }

    @Test
    func `a reader that does not read holds nobody up, and learns how much it has missed when it reads again`() throws {
        try withServer { server in
            let (slow, quick) = (try Reader(address), try Reader(address))
            _ = try slow.follow()
            _ = try quick.follow()
            // More than the socket and the server's buffer take.
            let count = 5000
            for number in 0..<count {
                queue.sync { server.send(event(number, padding: 200)) }
                #expect(try quick.number() == number)
            }
            var next = 0
            while let line = try slow.line() {
                if let event = PeripheralEvent(line: Array(line.utf8)) {
                    #expect(event.message?.prefix { $0.isNumber } == "\(next)")
                    next += 1
                } else {
                    #expect(line.hasSuffix("\"event\":\"dropped\",\"lines\":\(count - next)}"), "\(line)")
                    break
                }
            }
            #expect(next > 100 && next < count)
            queue.sync { server.send(event(count)) }
            #expect(try slow.number() == count, "and it goes on")
        }
    }

    @Test func `only so many may follow, and another one may when one of them has ended`() throws {
        try withServer(.init(subscribers: 2)) { _ in
            let first = try Reader(address)
            var second: Reader? = try Reader(address)
            _ = try first.follow()
            _ = try second?.follow()
            let third = try Reader(address)
            #expect(try third.follow() == "{\"ok\":false,\"error\":\"too many event subscribers (limit 2)\"}")
            third.send(.status)
            #expect(try third.line() == "{\"ok\":true}", "what else it asks for is answered")
            second = nil
            let deadline = ContinuousClock.now + .seconds(20)
            while try third.follow()?.contains("true") != true, .now < deadline {}
            #expect(.now < deadline)
        }
    }

    @Test func `a reader that goes while much waits for it makes room for another`() throws {
        try withServer(.init(subscribers: 1)) { server in
            var first: Reader? = try Reader(address)
            _ = try first?.follow()
            // More than the socket takes.
            for number in 0..<1000 { queue.sync { server.send(event(number, padding: 1000)) } }
            let second = try Reader(address)
            #expect(try second.follow()?.contains("true") == false)
            first = nil
            let deadline = ContinuousClock.now + .seconds(20)
            while try second.follow()?.contains("true") != true, .now < deadline {}
            #expect(.now < deadline)
            queue.sync { server.send(event(7)) }
            #expect(try second.number() == 7)
        }
    }

    @Test func `a reader of events is neither idle nor has to make room`() throws {
        try withServer(.init(clients: 2, idleTime: 60)) { server in
            let (reader, idle) = (try Reader(address), try Reader(address))
            _ = try reader.follow()
            idle.send(.status)
            _ = try idle.line()
            queue.sync { clock.advance(by: 61) }
            #expect(try idle.line() == nil, "closed")
            let crowd = try (0..<3).map { _ in try Reader(address) }
            crowd[2].send(.status)
            #expect(try crowd[2].line() == "{\"ok\":true}")
            queue.sync { server.send(event(1)) }
            #expect(try reader.number() == 1)
        }
    }

    @Test func `a client gets the lines as they come, until the server stops`() throws {
        let (address, end) = (address, DispatchSemaphore(value: 0))
        let lines = Mutex<[String]>([])
        try withServer { server in
            Thread.detachNewThread {
                try? ControlClient.follow(address) { line in
                    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                }
                end.signal()
            }
            // Nobody knows when the client follows.
            let deadline = ContinuousClock.now + .seconds(20)
            while lines.withLock(\.count) < 3, .now < deadline {
                queue.sync { server.send(PeripheralEvent(.connected)) }
                usleep(1000)
            }
        }
        #expect(end.wait(timeout: .now() + 20) == .success)
        #expect(lines.withLock { $0.count >= 3 && $0.allSatisfy { $0.contains("\"event\":\"connected\"") } })
    }

    @Test func `an event is read from its line as it was`() throws {
        var event = PeripheralEvent(.written, time: Timestamp(milliseconds: 1_795_439_299_315))
        event.central = .init(address: "00:AA:01:01:00:01", mtu: 517)
        (event.service, event.characteristic, event.value) = ("lab", "store", Data([0, 255]))
        (event.attError, event.message) = (0x80, "no \"such\" thing\n")
        (event.profile, event.seed, event.socket, event.peripheral) = ("p", .max, "/s", "hci1")
        (event.original, event.device, event.deviceSeconds) = (Data([1]), "00:AA:01:00:00:00", 0.0125)
        (event.channel, event.psm, event.received, event.sent) = ("log", 128, 1, 2)
        (event.passkey, event.reason) = ("012345", "timeout")
        #expect(PeripheralEvent(line: event.json.utf8) == event)
        #expect(PeripheralEvent.text(ofLine: event.json.utf8) == event.text)
        for kind in PeripheralEvent.Kind.allCases {
            #expect(PeripheralEvent(line: PeripheralEvent(kind).json.utf8)?.kind == kind)
        }
        let dropped = PeripheralEvent.notice(ofDropped: 2).utf8
        #expect(PeripheralEvent.text(ofLine: dropped)?.hasSuffix("dropped 2 events that nobody read in time") == true)
        for garbage in ["", "{}", "{\"event\":\"flown\",\"time\":\"2026-11-23T13:08:19.315Z\"}", "\u{FF}", "[]"] {
            #expect(PeripheralEvent(line: garbage.utf8) == nil && PeripheralEvent.text(ofLine: garbage.utf8) == nil)
        }
    }
}
