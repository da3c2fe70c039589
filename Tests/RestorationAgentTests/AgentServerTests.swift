import Foundation
import Posix
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import RestorationAgent

/// An agent behind a real socket, with fake Bluetooth.
private final class Bench {
    let queue = DispatchQueue(label: "agent")
    let backend = FakeBackend()
    let folder: TemporaryFolder
    let location: AgentLocation
    var core: AgentCore!
    var server: AgentServer!

    init() throws {
        folder = try TemporaryFolder()
        location = AgentLocation(environment: [
            "BLUEJAY_AGENT_SOCKET": folder.path + "/agent.sock", "BLUEJAY_STATE_DIRECTORY": folder.path,
        ])
        try start()
    }

    func start() throws {
        try queue.sync {
            let file = RecordFile(folder: folder.path)
            core = AgentCore(
                record: try file.load(), backend: backend,
                host: SystemHost(file: file, queue: queue) { _ in }, queue: queue)
            server = try AgentServer(location, core: core, queue: queue)
            core.start()
        }
    }

    func stop() {
        queue.sync {
            server.stop()
            core.saveNow()
        }
    }

    deinit { queue.sync { server.stop() } }

    func client() throws -> Client { try Client(location) }

    /// Waits until `condition` holds on the agent's queue.
    func wait(_ what: String, _ condition: @escaping (Bench) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !queue.sync(execute: { condition(self) }) {
            try #require(ContinuousClock.now < deadline, "\(what)")
            usleep(2000)
        }
    }
}

/// A program, or something that is none, at the agent's socket.
private final class Client {
    let socket: Int32

    init(_ location: AgentLocation) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do throws(SystemError) {
                socket = try location.connected()
                return
            } catch {
                // The agent's queue of newcomers may be full for a moment.
                try #require(error.code == EAGAIN && ContinuousClock.now < deadline, "\(error)")
                usleep(500)
            }
        }
    }

    deinit { close(socket) }

    @discardableResult
    func send(_ bytes: Data) -> PacketIO.Sent { PacketIO.send(bytes, to: socket) }

    func send(_ message: AppMessage) throws { send(try #require(MessageCoder.encode(message))) }

    /// The next message, and the descriptor that comes along; nil when the agent has closed the connection.
    func next() throws -> (AgentMessage, Int32?)? {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            switch PacketIO.receive(from: socket, limit: MessageCoder.maximumLength, takesDescriptor: true) {
            case .packet(let bytes, let descriptor):
                return (try #require(MessageCoder.decode(AgentMessage.self, from: bytes)), descriptor)
            case .end, .tooLong: return nil
            case .nothing:
                try #require(ContinuousClock.now < deadline, "no answer")
                var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                Glibc.poll(&poll, 1, 100)
            }
        }
    }

    /// Registers, and answers the socket with the values.
    func register(_ identifier: String = "heart") throws -> Int32 {
        try send(.hello(.app(identifier)))
        let (message, descriptor) = try #require(try next())
        guard case .welcome = message else { throw SystemError(text: "\(message)") }
        return try #require(descriptor)
    }
}

@Suite struct AgentServerTests {
    @Test func `values reach a program through the socket that came with the welcome`() throws {
        let bench = try Bench()
        let client = try bench.client()
        let inbox = try client.register()
        defer { close(inbox) }
        let sensor = UUID.numbered(1)
        try client.send(.connected(PeripheralRequest(peripheral: sensor, adapter: "a", reconnects: false)))
        try client.send(.subscribe(SubscriptionRequest(subscription: 1, peripheral: sensor, key: .chirp)))
        #expect(try client.next()?.0 == .subscribed(subscription: 1, failure: nil))
        bench.queue.sync {
            bench.backend.observer?.received(Data("a".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        }
        guard case .packet(let bytes, _) = PacketIO.receive(from: inbox, limit: ValueFrame.maximumLength) else {
            Issue.record("no value")
            return
        }
        #expect(ValueFrame(bytes: bytes) == ValueFrame(subscription: 1, value: Data("a".utf8)))
    }

    /// It did not read everything that the agent has sent, and the agent sends more.
    @Test(arguments: [false, true])
    func `a program that said goodbye is not started again`(hasUnread: Bool) throws {
        let bench = try Bench()
        var client: Client? = try bench.client()
        let inbox = try #require(try client?.register())
        defer { close(inbox) }
        try client?.send(.connected(PeripheralRequest(peripheral: .numbered(1), adapter: "a", reconnects: true)))
        if hasUnread {
            try client?.send(.unsubscribe(subscription: 5))
            var poll = pollfd(fd: try #require(client?.socket), events: Int16(POLLIN), revents: 0)
            #expect(Glibc.poll(&poll, 1, 20_000) == 1)
        }
        // All of it happens while the agent is busy.
        try bench.queue.sync {
            try client?.send(.goodbye)
            client = nil
            let peer = try #require(bench.core.apps.first?.peer)
            peer.send(.unsubscribed(subscription: 6, failure: nil), passing: nil)
        }
        try bench.wait("the end of the connection") { $0.server.connectionCount == 0 }
        #expect(bench.queue.sync { bench.core.record.apps.isEmpty })
    }

    @Test func `the record is on disk and survives the agent`() throws {
        let bench = try Bench()
        let client = try bench.client()
        close(try client.register())
        let request = PeripheralRequest(peripheral: .numbered(1), adapter: "a", reconnects: true)
        try client.send(.connected(request))
        try client.send(.subscribe(SubscriptionRequest(subscription: 1, peripheral: .numbered(1), key: .chirp)))
        _ = try client.next()
        bench.stop()
        #expect(try client.next() == nil)
        try bench.start()
        let app = try #require(bench.queue.sync { bench.core.record.apps.first })
        #expect(app.registration == .app() && app.nextSubscription == 2)
        #expect(app.peripherals.first?.subscriptions.map(\.key) == [.chirp])
    }

    @Test func `a damaged record is put aside`() throws {
        let bench = try Bench()
        bench.stop()
        let file = RecordFile(folder: bench.folder.path)
        try Data("{\"version\": 1, \"ap".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(try file.load() == RestorationRecord())
        #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try bench.start()
    }

    @Test func `garbage, half messages and overlong ones end only the connection that they came by`() throws {
        let bench = try Bench()
        let good = try bench.client()
        let inbox = try good.register()
        defer { close(inbox) }
        let hello = try #require(MessageCoder.encode(AppMessage.hello(.app("other"))))
        var generator = Dice.ofThisRun
        let random = Data((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let deep = Data((String(repeating: "[", count: 50_000) + String(repeating: "]", count: 40_000)).utf8)
        let junk = [
            random, Data(hello.prefix(hello.count / 2)), Data("{}".utf8), Data("null".utf8), deep,
            Data(repeating: 65, count: MessageCoder.maximumLength + 1), Data(#"{"hello":{"_0":{"version":1}}}"#.utf8),
            Data(#"{"released":{"peripheral":"x"}}"#.utf8), Data(#"{"goodbye":{}}"#.utf8),
        ]
        for bytes in junk {
            let bad = try bench.client()
            bad.send(bytes)
            #expect(try bad.next() == nil, "\(bytes.prefix(40))")
        }
        // The other one works as before.
        try good.send(.unsubscribe(subscription: 5))
        #expect(try good.next()?.0 == .unsubscribed(subscription: 5, failure: nil))
        try bench.wait("the bad connections have ended") { $0.server.connectionCount == 1 }
    }

    @Test func `a thousand connections lock nobody out`() throws {
        let bench = try Bench()
        let good = try bench.client()
        close(try good.register())
        let crowd = try (0..<1000).map { _ in try bench.client() }
        #expect(crowd.count == 1000)
        let late = try bench.client()
        close(try late.register("late"))
        try good.send(.unsubscribe(subscription: 5))
        #expect(try good.next()?.0 == .unsubscribed(subscription: 5, failure: nil))
        #expect(bench.queue.sync { bench.server.connectionCount } <= AgentServer.connectionLimit)
    }

    @Test func `a flood of messages whose answers nobody reads ends with the connection`() throws {
        let bench = try Bench()
        let good = try bench.client()
        close(try good.register())
        let flood = try bench.client()
        close(try flood.register("flood"))
        let message = try #require(MessageCoder.encode(AppMessage.unsubscribe(subscription: 1)))
        let deadline = ContinuousClock.now + .seconds(20)
        loop: while ContinuousClock.now < deadline {
            switch flood.send(message) {
            case .closed: break loop
            case .full: usleep(100)
            case .done: break
            }
        }
        #expect(flood.send(message) == .closed)
        try good.send(.unsubscribe(subscription: 5))
        #expect(try good.next()?.0 == .unsubscribed(subscription: 5, failure: nil))
    }

    @Test func `the socket is this user's only, and a second agent does not take it`() throws {
        let bench = try Bench()
        var info = stat()
        #expect(lstat(bench.location.socket, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600 && info.st_uid == geteuid())
        #expect(throws: SystemError.self) {
            try AgentServer(bench.location, core: bench.core, queue: bench.queue)
        }
        close(try bench.client().register())
    }

    @Test func `a program that is killed is started again with launch options, one that ends is not`() throws {
        let bench = try Bench()
        let output = bench.folder.path + "/started"
        let client = try bench.client()
        var registration = AppRegistration.app()
        // It writes its number and its launch options where the test finds them, and stays until it is killed.
        let script =
            "printf '%s\\n%s' $$ \"$BLUEJAY_LAUNCH_OPTIONS\" > \(output).new; mv \(output).new \(output); exec sleep 600"
        registration.command = ["/bin/sh", "-c", script]
        try client.send(.hello(registration))
        _ = try #require(try client.next())
        try client.send(
            .connected(PeripheralRequest(peripheral: .numbered(1), adapter: "a", reconnects: false)))
        // This process does not die: the agent's record says that it was another.
        try bench.wait("the connection is on the record") { $0.core.record.apps.first?.peripherals.count == 1 }
        bench.queue.sync { bench.core.apps.first?.record.process = nil }
        shutdown(client.socket, Int32(SHUT_RDWR))
        try bench.wait("the program has ended") { $0.core.apps.first?.presence == .ended }
        bench.queue.sync { bench.backend.observer?.disconnected(.numbered(1), isComing: false) }
        let deadline = ContinuousClock.now + .seconds(20)
        var text = ""
        while text.isEmpty, ContinuousClock.now < deadline {
            usleep(2000)
            text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        }
        let lines = text.split(separator: "\n").map(String.init)
        let options = LaunchEnvironment.options(in: [LaunchEnvironment.variable: lines.last ?? ""])
        #expect(options == [LaunchEnvironment.centralsKey: ["heart"]])
        // Exit tests, which run beside this one, wait for any child, and would find a zombie of this one forever. The
        // agent forgets the program first, so that it does not start it once more.
        bench.queue.sync { bench.core.apps = [] }
        let process = try #require(lines.first.flatMap { pid_t($0) })
        kill(process, SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(process, &status, 0) == process)
    }
}
