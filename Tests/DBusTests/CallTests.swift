import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct CallTests {
    let service: EchoService
    let client: BusConnection
    let bus: PrivateBus

    init() async throws {
        bus = try await .start()
        service = try EchoService(bus)
        client = try bus.connect()
    }

    // MARK: Answers

    @Test func `answers come to their calls whatever the order`() async throws {
        let calls = (0..<100).map { number in
            Task { @LoopActor in
                let reply = try await client.call(service.call("Echo", [.variant(.int32(Int32(number)))]))
                return try reply.first(as: Int32.self)
            }
        }
        for (number, call) in calls.enumerated() { #expect(try await call.value == Int32(number)) }
        let held = Task { @LoopActor in try await client.call(service.call("Hold")).first(as: String.self) }
        let invocation = try await service.held.next()
        #expect(try await client.call(service.call("Later")).first(as: String.self) == "later")
        invocation.reply([.string("at last")])
        #expect(try await held.value == "at last")
    }

    @Test func `an answer of the wrong type is a typed error`() async throws {
        let reply = try await client.call(service.call("Echo", [.variant(.string("text"))]))
        let place = "the answer to org.example.Echo.Echo on /org/example/echo"
        #expect(throws: BusError.unexpectedType(expected: "u", actual: "s", in: place)) {
            try reply.first(as: UInt32.self)
        }
        #expect(throws: BusError.unexpectedType(expected: "s", actual: "nothing", in: place)) {
            try reply.value(at: 1, as: String.self)
        }
    }

    @Test func `the first answer counts`() async throws {
        #expect(try await client.call(service.call("Twice")).first(as: String.self) == "first")
        try await client.fence()
        #expect(client.isConnected && service.connection.isConnected)
    }

    @Test func `a refusal arrives with its name and message`() async throws {
        let call = service.call("Refuse")
        #expect(
            try await busError { try await client.call(call) }
                == .remote(name: "org.example.Error.No", message: "not today", call: call.description))
        let bad = try await busError { try await client.call(service.call("RefuseBadly")) }
        #expect(bad.name == "org.freedesktop.DBus.Error.Failed")
    }

    @Test func `a released or unsendable answer becomes an error`() async throws {
        for method in ["Drop", "BadReply"] {
            let error = try await busError { try await client.call(service.call(method), timeout: nil) }
            #expect(error.name == "org.freedesktop.DBus.Error.Failed")
        }
    }

    @Test func `a call without reply is carried out`() async throws {
        for method in ["Twice", "Drop", "BadReply", "Refuse"] { try client.callWithoutReply(service.call(method)) }
        try client.callWithoutReply(service.call("Echo", [.variant(.byte(1))]))
        _ = try await client.call(service.call("Echo", [.variant(.byte(2))]))
        #expect(service.count == 2)
    }

    // MARK: Errors

    @Test func `an absent service is reported`() async throws {
        var call = service.call("Echo", [.variant(.byte(1))])
        call.destination = "org.example.Nobody"
        let error = try await busError { try await client.call(call) }
        #expect(error.isServiceUnknown)
        #expect(error.description.contains("org.example.Echo.Echo on /org/example/echo"))
    }

    @Test func `a malformed name is an error before anything is sent`() async throws {
        let good = service.call("Echo", [.variant(.byte(1))])
        let spoils: [(inout MethodCall) -> Void] = [
            { $0.destination = "" }, { $0.destination = "no name" }, { $0.destination = "a.b\0" },
            { $0.destination = "a.b'; DROP" }, { $0.interface = "" }, { $0.interface = "nodot" },
            { $0.interface = "org.example.Echo\0" }, { $0.interface = String(repeating: "a.", count: 200) + "a" },
            { $0.interface = "org.freedesktop.DBus.Local" }, { $0.method = "" }, { $0.method = "not.a.member" },
            { $0.method = "Echo\0" }, { $0.method = "1st" }, { $0.method = "♥" },
            { $0.path = path("/org/freedesktop/DBus/Local") },
        ]
        for spoil in spoils {
            var call = good
            spoil(&call)
            let error = try await busError { try await client.call(call) }
            guard case .invalidValue = error else { throw error }
            #expect(throws: error) { try client.callWithoutReply(call) }
        }
        for (member, interface) in [("A\0", "a.b"), ("A", "a.b\0"), ("", "a.b"), ("A", "")] {
            #expect(throws: BusError.self) { try client.emit(member, of: interface, from: .root) }
        }
        try await client.fence()
        #expect(service.count == 0)
    }

    // MARK: Time

    @Test func `no answer in time is reported`() async throws {
        let call = service.call("Hold")
        let start = ContinuousClock.now
        let error = try await busError { try await client.call(call, timeout: .milliseconds(30)) }
        #expect(error == .timedOut(call: call.description))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        // The answer that comes after all is nobody's.
        try await service.held.next().reply()
        #expect(try await client.call(service.call("Later")).first(as: String.self) == "later")
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func `a timeout of nothing ends at once`(_ timeout: Duration) async throws {
        let call = service.call("Hold")
        #expect(
            try await busError { try await client.call(call, timeout: timeout) } == .timedOut(call: call.description))
    }

    @Test func `a timeout beyond all measure is taken`() async throws {
        let call = service.call("Later")
        #expect(try await client.call(call, timeout: .seconds(Int64.max)).first(as: String.self) == "later")
        #expect(try await client.call(call, timeout: nil).first(as: String.self) == "later")
    }

    // MARK: Cancelling

    @Test func `a cancelled task does not call`() async throws {
        let task = Task { @LoopActor in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.call(service.call("Echo", [.variant(.byte(1))]))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await client.fence()
        #expect(service.count == 0)
    }

    @Test func `cancelling ends the wait`() async throws {
        let task = Task { @LoopActor in try await client.call(service.call("Hold"), timeout: nil) }
        let invocation = try await service.held.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        invocation.reply([.string("too late")])
        #expect(try await client.call(service.call("Later")).first(as: String.self) == "later")
    }

    @Test func `cancelling answers at the same moment is harmless`() async throws {
        for _ in 0..<200 {
            let task = Task { @LoopActor in try await client.call(service.call("Echo", [.variant(.byte(7))])) }
            Task.detached { task.cancel() }
            switch await task.result {
            case .success(let reply): #expect(try reply.first(as: UInt8.self) == 7)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        #expect(client.isConnected)
    }

    @Test func `a completion runs once however often the call is cancelled`() async throws {
        let results = AwaitedValues<Bool>()
        let completion: @LoopActor (Result<MethodReply, any Error>) -> Void = { result in
            results.put((try? result.get()) != nil)
        }
        let held = client.call(service.call("Hold"), completion: completion)
        let invocation = try await service.held.next()
        defer { withExtendedLifetime(invocation) {} }
        held.cancel()
        held.cancel()
        #expect(try await results.next() == false)
        let answered = client.call(service.call("Later"), completion: completion)
        #expect(try await results.next() == true)
        answered.cancel()
        let malformed = client.call(service.call("no member"), completion: completion)
        // Never from within the call.
        #expect(results.waiting.isEmpty)
        #expect(try await results.next() == false)
        malformed.cancel()
        let early = client.call(service.call("no member"), completion: completion)
        early.cancel()
        #expect(try await results.next() == false)
        try await client.fence()
        #expect(results.waiting.isEmpty)
    }
}
