import DBus
import Dispatch
import Foundation
import MainLoop
import RestorationAgent
import Synchronization
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// A program with a peripheral manager whose services the agent publishes.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct RestoredPeripheralTests {
    private let bench: AgentBench

    init() throws { bench = try AgentBench() }

    private func run(
        at location: AgentLocation? = nil, startsAgent: @escaping @Sendable () throws -> Void = {}
    ) -> RestoredApp {
        RestoredApp(AgentAccess(location: location ?? bench.location) { _ in try startsAgent() })
    }

    /// The agent by another path, which is to be removed when the agent is to be reached no more by it.
    private func otherLocation() throws -> AgentLocation {
        let path = bench.location.socket + ".former"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: bench.location.socket)
        return AgentLocation(environment: [
            "BLUEJAY_AGENT_SOCKET": path, "BLUEJAY_STATE_DIRECTORY": bench.location.stateFolder,
        ])
    }

    /// A service with a static value, one to notify and one to write.
    private func service() -> CBMutableService {
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let described = CBMutableCharacteristic("2A38", .read, value: Data([1]))
        described.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "place")]
        service.characteristics = [
            described, CBMutableCharacteristic("2A37", .notify), CBMutableCharacteristic("2A39"),
        ]
        return service
    }

    private let place = CharacteristicPlace(service: 1, index: 2)
    private let central = CentralRecord(identifier: UUID(), mtu: 247)

    private func published(_ app: RestoredApp) async throws {
        try await app.saw("state on")
        app.act { $0.add(service()) }
        try await app.saw("added 180D")
        app.act { $0.startAdvertising([CBAdvertisementDataLocalNameKey: "Heart"]) }
        try await app.saw("advertising")
    }

    @Test func `what is published reaches the agent`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        #expect(bench.publications == ["publish 180D 2A38 2A37 2A39", "advertise Heart"])
        #expect(app.act { $0.isAdvertising })
        app.act { $0.stopAdvertising() }
        app.act { $0.removeAllServices() }
        try await eventually("all is withdrawn") { [bench] in
            bench.publications.suffix(2) == ["stop advertising", "withdraw 1"]
        }
        #expect(!app.act { $0.isAdvertising })
    }

    @Test func `wrong calls have the errors that they have without an agent`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        app.act { $0.add(CBMutableService(type: CBUUID(string: "1800"), primary: true)) }
        try await app.saw("added 1800 failed 8")
        app.act { $0.startAdvertising([:]) }
        try await app.saw("advertising failed 9")
        let service = service()
        app.act { $0.add(service) }
        app.act { $0.add(service) }
        try await app.saw("added 180D failed 1")
        bench.fail(AgentFailure(domain: .core, code: 4, text: "no room"))
        app.act { $0.add(CBMutableService(type: CBUUID(string: "180F"), primary: true)) }
        try await app.saw("added 180F failed 4")
    }

    @Test func `requests are answered once and in the words of ATT`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        bench.ask(
            CentralRequest(
                number: 1, place: place, central: central, offset: 2, value: nil, wantsResponse: nil))
        try await app.saw("read 2A39 at 2 by 247")
        bench.ask(
            CentralRequest(
                number: 2, place: place, central: central, offset: 0, value: Data([7]), wantsResponse: true))
        try await app.saw("write 2A39 = 07 by 247")
        try await eventually("the answers") { [bench] in
            bench.publications.suffix(2) == ["respond 1 0 2a", "respond 2 128"]
        }
        // A request of a service that is no longer there.
        bench.ask(
            CentralRequest(
                number: 3, place: CharacteristicPlace(service: 9, index: 0), central: central, offset: 0, value: nil,
                wantsResponse: nil))
        try await eventually("the refusal") { [bench] in bench.publications.last == "respond 3 14" }
    }

    @Test func `a request that the program releases is refused`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        app.answers(with: nil)
        bench.ask(
            CentralRequest(
                number: 1, place: place, central: central, offset: 0, value: nil, wantsResponse: nil))
        try await eventually("the refusal") { [bench] in bench.publications.last == "respond 1 14" }
    }

    @Test func `values are sent to those that are subscribed, as there is room`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        let subscription = SubscribedCentral(place: CharacteristicPlace(service: 1, index: 1), central: central)
        #expect(app.notify("nobody"), "without receivers it is dropped")
        bench.subscribe(subscription)
        try await app.saw("subscribed 2A37")
        bench.setRoom(0)
        var sent = 0
        while app.notify("\(sent)") { sent += 1 }
        #expect(sent == UpdateQueue.defaultCapacity)
        bench.setRoom(.max)
        try await app.saw("ready")
        try await eventually("all values") { [bench] in
            bench.publications.filter { $0.hasPrefix("update ") } == (0..<sent).map { "update \($0)" }
        }
        bench.unsubscribe(subscription)
        try await app.saw("unsubscribed 2A37")
        #expect(app.notify("nobody"))
    }

    @Test func `the next run gets everything back before its first state`() async throws {
        try bench.start()
        let location = try otherLocation()
        let first = run(at: location)
        try await published(first)
        bench.subscribe(SubscribedCentral(place: CharacteristicPlace(service: 1, index: 1), central: central))
        try await first.saw("subscribed 2A37")
        first.answers(with: .none, keeping: true)
        bench.ask(
            CentralRequest(
                number: 1, place: place, central: central, offset: 0, value: Data([7]), wantsResponse: nil))
        try await first.saw("write 2A39 = 07 by 247")
        // The same process, hence the agent lets the next registration in. The first one would come back.
        try FileManager.default.removeItem(atPath: location.socket)
        let next = run()
        try await next.saw("write 2A39 = 07 by 247")
        #expect(
            next.lines == [
                "restored 180D: 2A38 (static, 1 descriptors) 2A37 (subscribed: 1) 2A39; advertising Heart", "state on",
                "write 2A39 = 07 by 247",
            ])
        try await eventually("its answer") { [bench] in bench.publications.last == "respond 1 128" }
        #expect(bench.publications.count { $0.hasPrefix("publish") } == 1, "it is published still")
        // The objects that were restored are those to use.
        #expect(next.act { $0.isAdvertising })
        #expect(next.notify("again"))
        try await eventually("the value") { [bench] in bench.publications.last == "update again" }
        next.act { $0.startAdvertising([:]) }
        try await next.saw("advertising failed 9")
        next.act { $0.removeAllServices() }
        try await next.saw("unsubscribed 2A37")
        try await eventually("the service is withdrawn") { [bench] in bench.publications.last == "withdraw 1" }
    }

    @Test func `what the agent has lost is published anew by the program`() async throws {
        try bench.start()
        let app = run(startsAgent: { [bench] in try bench.start() })
        try await published(app)
        bench.subscribe(SubscribedCentral(place: CharacteristicPlace(service: 1, index: 1), central: central))
        try await app.saw("subscribed 2A37")
        bench.stop()
        try await app.saw("state resetting")
        #expect(!app.act { $0.isAdvertising })
        try await app.saw("state on", count: 2)
        #expect(bench.publications.isEmpty)
        #expect(app.notify("nobody"))
        app.act { $0.add(service()) }
        try await app.saw("added 180D", count: 2)
    }

    @Test func `a change of power is reported and what waits is cancelled`() async throws {
        try bench.start()
        let app = run()
        try await published(app)
        bench.hold()
        app.act { $0.add(CBMutableService(type: CBUUID(string: "180F"), primary: true)) }
        try await eventually("it is asked for") { [bench] in bench.publications.contains("publish 180F") }
        bench.power(4)
        try await app.saw("added 180F failed 5")
        try await app.saw("state off")
        #expect(!app.act { $0.isAdvertising })
    }

    @Test func `without an agent the program does by itself`() async throws {
        let daemon = try await FakeBluetoothd.start()
        struct NoAgent: Error {}
        let app = RestoredApp(AgentAccess(location: bench.location) { _ in throw NoAgent() }, on: daemon.bus)
        try await published(app)
        #expect(await daemon.adapter.applications.count == 1)
    }
}
