import Foundation
import MainLoop
import TestSupport
import Testing

@testable import DBus

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct SignalTests {
    let sender: BusConnection
    let client: BusConnection
    let bus: PrivateBus
    let heard = AwaitedValues<BusSignal>()

    init() async throws {
        bus = try await .start()
        sender = try bus.connect()
        client = try bus.connect()
    }

    private func emit(_ member: String, from place: String = "/org/a", _ arguments: [BusValue] = []) throws {
        try sender.emit(member, of: "org.example.A", from: path(place), arguments: arguments)
    }

    /// The members of all signals that a rule lets through of those that `send` sends.
    private func members(_ rule: MatchRule, _ send: () throws -> Void) async throws -> [String] {
        // Hears the end of it, whatever `rule` is.
        let end = AwaitedValues<Void>()
        let last = client.onSignal(MatchRule(interface: "org.example.End")) { _ in end.put(()) }
        let registration = client.onSignal(rule) { heard.put($0) }
        try await client.fence()
        try send()
        try sender.emit("End", of: "org.example.End", from: .root)
        try await end.next()
        registration.cancel()
        last.cancel()
        return heard.waiting.map(\.member)
    }

    @Test func `a signal arrives whole`() async throws {
        let registration = client.onSignal(MatchRule(interface: "org.example.A")) { heard.put($0) }
        try await client.fence()
        let arguments: [BusValue] = [
            .string("org.bluez.GattCharacteristic1"), ["Value": BusValue.bytes(Data([1, 2]))].busValue,
            [String]().busValue,
        ]
        try emit("Changed", arguments)
        let signal = try await heard.next()
        #expect(signal.sender == sender.uniqueName)
        #expect(signal.path == path("/org/a"))
        #expect(signal.interface == "org.example.A")
        #expect(signal.member == "Changed")
        #expect(signal.arguments == arguments)
        #expect(signal.arguments.map(\.signature.string) == ["s", "a{sv}", "as"])
        registration.cancel()
    }

    @Test func `ten thousand signals arrive in order`() async throws {
        let numbers = AwaitedValues<[UInt32]>()
        var seen: [UInt32] = []
        let registration = client.onSignal(MatchRule(interface: "org.example.A")) { signal in
            if let number = signal.arguments.first.flatMap(UInt32.init(busValue:)) { seen.append(number) }
            if seen.count == 10_000 { numbers.put(seen) }
        }
        try await client.fence()
        for number in 0..<10_000 { try emit("Number", [.uint32(UInt32(number))]) }
        #expect(try await numbers.next() == Array(0..<10_000))
        registration.cancel()
    }

    @Test func `a rule lets through what it names`() async throws {
        func send() throws {
            try emit("One", from: "/org/a", [.string("x")])
            try emit("Two", from: "/org/a/b", [.string("y"), .string("x")])
            try emit("Three", from: "/org/ab", [.objectPath(path("/x"))])
            try sender.emit("Four", of: "org.example.B", from: path("/org/a"), arguments: [.string("it's")])
        }
        func check(_ rule: MatchRule, _ expected: [String]) async throws {
            #expect(try await members(rule, send) == expected, "\(rule.text)")
            while !heard.waiting.isEmpty { _ = try await heard.next() }
        }
        try await check(MatchRule(path: path("/org/a")), ["One", "Four"])
        try await check(MatchRule(pathNamespace: path("/org/a")), ["One", "Two", "Four"])
        try await check(MatchRule(interface: "org.example.A"), ["One", "Two", "Three"])
        try await check(MatchRule(interface: "org.example.A", member: "Two"), ["Two"])
        try await check(MatchRule(firstArgument: "x"), ["One"])
        try await check(MatchRule(firstArgument: "it's"), ["Four"])
        try await check(MatchRule(sender: sender.uniqueName, interface: "org.example.B"), ["Four"])
        try await check(MatchRule(sender: client.uniqueName, interface: "org.example.B"), [])
        try await check(MatchRule(pathNamespace: .root, interface: "org.example.A"), ["One", "Two", "Three"])
        // What the bus refuses matches nothing and does no harm.
        try await check(MatchRule(sender: "no name", interface: "org.example.A"), [])
        try await check(MatchRule(interface: "no interface"), [])
        try await check(MatchRule(interface: "org.example.A", firstArgument: "\0"), [])
    }

    @Test func `a well-known sender is followed from owner to owner`() async throws {
        let name = "org.example.Sender"
        let other = try bus.connect()
        let owners = AwaitedValues<String?>()
        let watch = client.watchOwner(of: name) { owners.put($0) }
        let registration = client.onSignal(MatchRule(sender: name, interface: "org.example.A")) { heard.put($0) }
        // Rules of the same interface let the bus deliver both senders' signals: the choice is the connection's.
        let all = client.onSignal(MatchRule(interface: "org.example.A")) { _ in }
        #expect(try await owners.next() == nil)
        for (owner, bystander) in [(sender, other), (other, sender)] {
            try await owner.requestName(name)
            #expect(try await owners.next() == owner.uniqueName)
            try bystander.emit("Noise", of: "org.example.A", from: .root)
            try await bystander.fence()
            try owner.emit("Signal", of: "org.example.A", from: .root)
            let signal = try await heard.next()
            #expect(signal.member == "Signal")
            #expect(signal.sender == owner.uniqueName)
            try await owner.releaseName(name)
            #expect(try await owners.next() == nil)
        }
        [watch, registration, all].forEach { $0.cancel() }
    }

    @Test func `a cancelled listener hears nothing more`() async throws {
        let rule = MatchRule(interface: "org.example.A")
        let holder = Holder()
        let log = AwaitedValues<String>()
        // The first one cancels the second in the middle of a signal.
        let first = client.onSignal(rule) { signal in
            log.put("first \(signal.member)")
            holder.registration = nil
        }
        holder.registration = client.onSignal(rule) { signal in log.put("second \(signal.member)") }
        try await client.fence()
        try emit("One")
        #expect(try await log.next() == "first One")
        try emit("Two")
        #expect(try await log.next() == "first Two")
        first.cancel()
        try await client.fence()
        let third = client.onSignal(rule) { signal in log.put("third \(signal.member)") }
        try await client.fence()
        try emit("Three")
        #expect(try await log.next() == "third Three")
        #expect(log.waiting.isEmpty)
        third.cancel()
    }

    @Test func `the rule is removed from the bus when nobody listens any more`() async throws {
        let registration = client.onSignal(MatchRule(interface: "org.example.A")) { heard.put($0) }
        try await client.fence()
        registration.cancel()
        // To remove a rule that was never added, or was already removed, is an error; one of the two must fail.
        let remove = MethodCall(
            destination: "org.freedesktop.DBus", path: path("/org/freedesktop/DBus"), interface: "org.freedesktop.DBus",
            method: "RemoveMatch", arguments: [.string(MatchRule(interface: "org.example.A").text)])
        let error = try await busError { try await client.call(remove) }
        #expect(error.name == "org.freedesktop.DBus.Error.MatchRuleNotFound")
    }

    // MARK: Names

    @Test func `a name has one owner`() async throws {
        try await sender.requestName("org.example.Name")
        try await sender.requestName("org.example.Name")
        #expect(
            try await busError { try await client.requestName("org.example.Name") }
                == .alreadyInUse("the bus name org.example.Name"))
        try await sender.releaseName("org.example.Name")
        try await client.requestName("org.example.Name")
        let refused = try await busError { try await client.requestName("no name") }
        #expect(refused.name == "org.freedesktop.DBus.Error.InvalidArgs")
        guard case .invalidValue = try await busError({ try await client.requestName("a.b\0") }) else {
            throw DeadlineMissed(what: "a refusal")
        }
    }

    @Test func `an owner is watched from the present one to its end`() async throws {
        let name = "org.example.Name"
        let owners = AwaitedValues<String?>()
        try await sender.requestName(name)
        let watch = client.watchOwner(of: name) { owners.put($0) }
        #expect(try await owners.next() == sender.uniqueName)
        sender.close()
        #expect(try await owners.next() == nil)
        watch.cancel()
        try await client.requestName(name)
        try await client.fence()
        #expect(owners.waiting.isEmpty)
    }

    @Test func `one watch of a name does not end another`() async throws {
        let name = "org.example.Name"
        let owners = AwaitedValues<String?>()
        let first = client.watchOwner(of: name) { _ in }
        let second = client.watchOwner(of: name) { owners.put($0) }
        #expect(try await owners.next() == nil)
        first.cancel()
        try await sender.requestName(name)
        #expect(try await owners.next() == sender.uniqueName)
        #expect(
            try await members(MatchRule(sender: name, interface: "org.example.A")) { try emit("Heard") } == ["Heard"])
        second.cancel()
    }

    @LoopActor
    private final class Holder {
        var registration: Registration?
    }
}
