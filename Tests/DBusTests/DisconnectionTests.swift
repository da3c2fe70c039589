import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct DisconnectionTests {
    let service: EchoService
    let client: BusConnection
    let bus: PrivateBus

    init() async throws {
        bus = try await .start()
        service = try EchoService(bus)
        client = try bus.connect()
    }

    @Test func `a bus that dies during calls fails them all and reports its end once`() async throws {
        let disconnected = AwaitedValues<Bool>()
        let registration = client.onDisconnect { disconnected.put(client.isConnected) }
        let cancelled = client.onDisconnect { disconnected.put(true) }
        cancelled.cancel()
        let call = service.call("Hold")
        let calls = (0..<5).map { _ in Task { @LoopActor in try await client.call(call, timeout: nil) } }
        let invocations = try await service.held.next(5)
        defer { withExtendedLifetime(invocations) {} }
        bus.kill()
        for task in calls {
            #expect(try await busError { try await task.value } == .disconnected(call: call.description))
        }
        #expect(try await disconnected.next() == false)
        #expect(!client.isConnected)
        try await pass(.milliseconds(5))
        #expect(disconnected.waiting.isEmpty)
        registration.cancel()
    }

    @Test func `a bus that has ended fails every call at once`() async throws {
        let call = service.call("Hold")
        // The loop has had no chance to find out.
        bus.kill()
        #expect(
            try await busError { try await client.call(call, timeout: nil) } == .disconnected(call: call.description))
        try await eventually("the loss is noticed") { !client.isConnected }
        #expect(
            try await busError { try await client.call(call, timeout: nil) } == .disconnected(call: call.description))
        #expect(throws: BusError.disconnected(call: call.description)) { try client.callWithoutReply(call) }
        #expect(throws: BusError.disconnected(call: "org.example.A.Changed")) {
            try client.emit("Changed", of: "org.example.A", from: .root)
        }
        await #expect(throws: BusError.self) { try await client.requestName("org.example.Name") }
        var reported = false
        client.onDisconnect { reported = true }.keep()
        #expect(reported)
        // What can be undone and what was never needed is no trouble.
        let signals = client.onSignal(MatchRule(interface: "org.example.A")) { _ in }
        let owner = client.watchOwner(of: "org.example.Name") { _ in }
        signals.cancel()
        owner.cancel()
        try client.export([ExportedInterface("org.example.A")], at: path("/a"))
        client.unexport(path("/a"))
        client.flush()
        client.close()
        #expect(throws: BusError.self) { try BusConnection(address: bus.address) }
    }

    @Test func `an answer to a lost connection is no trouble`() async throws {
        let task = Task { @LoopActor in try await client.call(service.call("Hold"), timeout: nil) }
        let invocation = try await service.held.next()
        bus.kill()
        await #expect(throws: BusError.self) { try await task.value }
        try await eventually("the service notices") { !service.connection.isConnected }
        invocation.reply()
    }

    @Test func `closing fails calls under way and sends what is queued`() async throws {
        let heard = AwaitedValues<String>()
        let registration = service.connection.onSignal(MatchRule(interface: "org.example.Last")) {
            heard.put($0.member)
        }
        try await service.connection.fence()
        let call = service.call("Hold")
        let task = Task { @LoopActor in try await client.call(call, timeout: nil) }
        let invocation = try await service.held.next()
        defer { withExtendedLifetime(invocation) {} }
        for number in 0..<1000 {
            try client.emit(
                "Words\(number)", of: "org.example.Last", from: .root, arguments: [.bytes(Data(count: 1000))])
        }
        client.close()
        client.close()
        #expect(try await busError { try await task.value } == .disconnected(call: call.description))
        #expect(try await heard.next(1000).last == "Words999")
        registration.cancel()
    }

    @Test func `closing does not wait forever for a bus that does not read`() async throws {
        bus.freeze()
        defer { bus.thaw() }
        for _ in 0..<20 {
            try client.emit("Full", of: "org.example.A", from: .root, arguments: [.bytes(Data(count: 1 << 20))])
        }
        #expect(client.outgoingByteCount > 1 << 20)
        let start = ContinuousClock.now
        client.close()
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a caller that leaves is no trouble`() async throws {
        let task = Task { @LoopActor in try await client.call(service.call("Hold"), timeout: nil) }
        let invocation = try await service.held.next()
        client.close()
        await #expect(throws: BusError.self) { try await task.value }
        invocation.reply([.string("anybody?")])
        try await service.connection.fence()
        #expect(service.connection.isConnected)
    }

    @Test func `a service that leaves is reported`() async throws {
        let call = service.call("Hold")
        let task = Task { @LoopActor in try await client.call(call, timeout: nil) }
        let invocation = try await service.held.next()
        defer { withExtendedLifetime(invocation) {} }
        service.connection.close()
        #expect(try await busError { try await task.value }.name == "org.freedesktop.DBus.Error.NoReply")
    }
}

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct LifetimeTests {
    let bus: PrivateBus

    init() async throws {
        bus = try await .start()
    }

    @Test func `a released connection leaves the bus`() async throws {
        let watcher = try bus.connect()
        var connection: BusConnection? = try bus.connect()
        weak let weakConnection = connection
        let owners = AwaitedValues<String?>()
        let name = try #require(connection?.uniqueName)
        let watch = watcher.watchOwner(of: name) { owners.put($0) }
        #expect(try await owners.next() == name)
        let registration = connection?.onSignal(MatchRule(interface: "org.example.A")) { _ in }
        try connection?.export([ExportedInterface("org.example.A")], at: path("/a"))
        connection = nil
        #expect(try await owners.next() == nil)
        #expect(weakConnection == nil)
        registration?.cancel()
        watch.cancel()
    }

    @Test nonisolated func `a connection released on any thread is closed on the loop`() async throws {
        let closed = AwaitedValues<Bool>()
        for _ in 0..<20 {
            var connection: BusConnection? = try await bus.connect()
            await connection?.onDisconnect { closed.put(MainLoop.shared.isCurrent) }.keep()
            await Task.detached { [connection] in withExtendedLifetime(connection) {} }.value
            connection = nil
        }
        #expect(try await closed.next(20).allSatisfy { $0 })
    }

    @Test func `a connection may be released by its own handlers`() async throws {
        let service = try EchoService(bus)
        let holder = Holder()
        let done = AwaitedValues<String>()
        // By the answer to a call, by a signal, by a method call.
        holder.connection = try bus.connect()
        holder.connection?.call(service.call("Later")) { _ in
            holder.connection = nil
            done.put("answer")
        }
        #expect(try await done.next() == "answer")

        holder.connection = try bus.connect()
        let registration = holder.connection?.onSignal(MatchRule(interface: "org.example.A")) { _ in
            holder.connection = nil
            done.put("signal")
        }
        try await holder.connection?.fence()
        for _ in 0..<100 { try service.connection.emit("Signal", of: "org.example.A", from: .root) }
        #expect(try await done.next() == "signal")
        registration?.cancel()

        let connection = try bus.connect()
        let name = connection.uniqueName
        holder.connection = connection
        try holder.connection?.export(
            [
                ExportedInterface(
                    "org.example.A",
                    methods: [
                        ExportedMethod("Leave") { _ in
                            holder.connection?.close()
                            holder.connection = nil
                            done.put("method")
                        }
                    ])
            ], at: path("/a"))
        let leave = MethodCall(destination: name, path: path("/a"), interface: "org.example.A", method: "Leave")
        #expect(
            try await busError { try await service.connection.call(leave) }.name == "org.freedesktop.DBus.Error.NoReply"
        )
        #expect(try await done.next() == "method")
        try await service.connection.fence()
        // Only the signals before the release were heard.
        #expect(done.waiting.isEmpty)
    }

    @Test func `calls with a completion do not keep their connection`() async throws {
        let service = try EchoService(bus)
        var client: BusConnection? = try bus.connect()
        weak let weakClient = client
        let results = AwaitedValues<BusError?>()
        let call = service.call("Hold")
        client?.call(call, timeout: nil) { result in
            if case .failure(let error) = result { results.put(error as? BusError) }
        }
        let invocation = try await service.held.next()
        defer { withExtendedLifetime(invocation) {} }
        client = nil
        #expect(try await results.next() == .disconnected(call: call.description))
        try await eventually("the connection goes") { weakClient == nil }
    }

    @Test func `invocations and calls are released when they are done`() async throws {
        let service = try EchoService(bus)
        let client = try bus.connect()
        weak var invocation: MethodInvocation?
        weak var pending: PendingCall?
        let results = AwaitedValues<Bool>()
        func run() async throws {
            pending = client.call(service.call("Hold")) { results.put((try? $0.get()) != nil) }
            let held = try await service.held.next()
            invocation = held
            held.reply()
        }
        try await run()
        #expect(try await results.next())
        try await eventually("the invocation and the call go") { invocation == nil && pending == nil }
    }

    @LoopActor
    private final class Holder {
        var connection: BusConnection?
    }
}
