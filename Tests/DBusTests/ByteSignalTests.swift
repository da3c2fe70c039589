import Foundation
import MainLoop
import TestSupport
import Testing

@testable import DBus

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct ByteSignalTests {
    let bus: PrivateBus
    let sender: BusConnection
    let client: BusConnection
    let values = AwaitedValues<Data>()
    let others = AwaitedValues<BusSignal>()

    private enum A: BusInterface {
        static let name = "org.example.A"
        static let value = Property<Data>("Value")
    }

    private static let name = "org.example.Service"
    private static let properties = "org.freedesktop.DBus.Properties"

    init() async throws {
        bus = try await .start()
        sender = try bus.connect()
        client = try bus.connect()
        try await sender.requestName(Self.name)
    }

    private func emit(
        _ changes: [String: BusValue], of interface: String = "org.example.A", at place: String = "/a",
        by other: BusConnection? = nil
    ) throws {
        try (other ?? sender).emit(
            "PropertiesChanged", of: Self.properties, from: path(place),
            arguments: [.string(interface), changes.busValue, [String]().busValue])
    }

    @Test func `only the value alone takes the short way`() async throws {
        let owners = AwaitedValues<String?>()
        let owner = client.watchOwner(of: Self.name) { owners.put($0) }
        _ = try await owners.next()
        let rule = client.onSignal(MatchRule(sender: Self.name, interface: Self.properties)) { others.put($0) }
        let bytes = client.onBytes(of: A.value, at: path("/a"), from: Self.name) {
            values.put($0)
        }
        try await client.fence()

        try emit(["Value": .bytes(Data([1, 2, 3]))])
        try emit(["Value": .bytes(Data())])
        // Each of these is for the ordinary way.
        try emit(["Value": .bytes(Data([4])), "Notifying": .boolean(true)])
        try emit(["Other": .bytes(Data([5]))])
        try emit(["Value": .string("6")])
        try emit(["Value": .bytes(Data([7]))], of: "org.example.B")
        try emit(["Value": .bytes(Data([8]))], at: "/b")
        try emit([:])
        for _ in 0..<6 { _ = try await others.next() }
        #expect(values.waiting == [Data([1, 2, 3]), Data()])

        bytes.cancel()
        try emit(["Value": .bytes(Data([9]))])
        #expect(try await others.next().arguments[1] == ["Value": BusValue.bytes(Data([9]))].busValue)
        #expect(values.waiting.count == 2)
        rule.cancel()
        owner.cancel()
    }

    @Test func `a stranger is not taken for the sender`() async throws {
        let owners = AwaitedValues<String?>()
        let owner = client.watchOwner(of: Self.name) { owners.put($0) }
        _ = try await owners.next()
        let rule = client.onSignal(MatchRule(interface: Self.properties)) { others.put($0) }
        let bytes = client.onBytes(of: A.value, at: path("/a"), from: Self.name) {
            values.put($0)
        }
        try await client.fence()
        let stranger = try bus.connect()
        try emit(["Value": .bytes(Data([1]))], by: stranger)
        #expect(try await others.next().sender == stranger.uniqueName)
        #expect(values.waiting.isEmpty)
        bytes.cancel()
        rule.cancel()
        owner.cancel()
    }

    @Test func `the sender is whoever owns its name`() async throws {
        let owners = AwaitedValues<String?>()
        let bytes = client.onBytes(of: A.value, at: path("/a"), from: Self.name) {
            values.put($0)
        }
        let owner = client.watchOwner(of: Self.name) { owners.put($0) }
        let rule = client.onSignal(MatchRule(interface: Self.properties)) { others.put($0) }
        #expect(try await owners.next() == sender.uniqueName)
        try await client.fence()
        try emit(["Value": .bytes(Data([1]))])
        #expect(try await values.next() == Data([1]))

        let successor = try bus.connect()
        try await sender.releaseName(Self.name)
        #expect(try await owners.next() == nil)
        try emit(["Value": .bytes(Data([2]))])
        #expect(try await others.next().sender == sender.uniqueName)
        try await successor.requestName(Self.name)
        #expect(try await owners.next() == successor.uniqueName)
        try emit(["Value": .bytes(Data([3]))], by: successor)
        #expect(try await values.next() == Data([3]))

        owner.cancel()
        try emit(["Value": .bytes(Data([4]))], by: successor)
        #expect(try await others.next().sender == successor.uniqueName)
        #expect(values.waiting.isEmpty)
        bytes.cancel()
        rule.cancel()
    }
}
