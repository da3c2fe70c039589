import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// How services come to bluetoothd, and what it may do with them.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct PublishingTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp

    init() async throws {
        daemon = try await .start()
        app = PeripheralApp(on: daemon.bus)
    }

    private static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
    private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"

    private func service(_ uuid: String) -> CBMutableService {
        CBMutableService(type: CBUUID(string: uuid), primary: true)
    }

    /// Services are distinguished by their identity, which another object may get as soon as one is released.
    @Test func `a published service is kept for the app`() async throws {
        weak let published = try await app.publish("180D")
        #expect(published != nil)
        app.act { $0.removeAllServices() }
        try await eventually("the service is released") { published == nil }
    }

    @Test func `services are published in their order and withdrawn`() async throws {
        let first = try await app.publish("180D", [CBMutableCharacteristic("2A38")])
        try await app.publish("180F", [CBMutableCharacteristic("2A19")])
        #expect(await daemon.adapter.offeredServices == [Self.heartRate, Self.battery])
        let handles = await daemon.adapter.offeredHandles.map { $0 ?? 0 }
        #expect(handles == handles.sorted() && handles.first != 0)
        app.act { $0.remove(first) }
        try await eventually("the first was removed") { daemon.adapter.offeredServices == [Self.battery] }
        app.act { $0.removeAllServices() }
        try await eventually("all were removed") { daemon.adapter.offeredServices.isEmpty }
        app.act { $0.add(first) }
        try await app.saw("added 180D", count: 2)
    }

    /// A BlueZ central (5.66) that has looked into the first by the time of the next one misses a later one.
    @Test @LoopActor func `services are withdrawn with nothing in between`() async throws {
        let count = 30
        for number in 0..<count { try await app.publish("18\(number + 10)") }
        let adapter = try required(app.session.adapters.first)
        Others(adapter).call()
        app.act { $0.removeAllServices() }
        try await eventually("all were removed") { daemon.adapter.offeredServices.isEmpty }
        let calls = daemon.methods.drop { $0 != "UnregisterApplication" }
        #expect(calls.prefix(count).allSatisfy { $0 == "UnregisterApplication" })
    }

    /// Whatever else a program does: a call in each of the next turns of the loop, as long as the bus takes them.
    @LoopActor
    private final class Others {
        private let adapter: Adapter
        private var turns = 5000
        private var outstanding = 0

        init(_ adapter: Adapter) { self.adapter = adapter }

        func call() {
            guard turns > 0 else { return }
            turns -= 1
            if outstanding < 50 {
                outstanding += 1
                adapter.call(Adapter1.setDiscoveryFilter, [[String: BusValue]().busValue]) { _ in
                    self.outstanding -= 1
                }
            }
            MainLoop.shared.async { self.call() }
        }
    }

    @Test func `answers come in the order of the calls`() async throws {
        try await app.saw("state on")
        await daemon.react(to: "RegisterApplication", times: 1, with: .late(.milliseconds(30)))
        let services = ["180D", "180F", "180A"].map(service)
        app.act { for service in services { $0.add(service) } }
        try await app.saw("added 180A")
        #expect(app.lines == ["state on", "added 180D", "added 180F", "added 180A"])
    }

    @Test func `what is published is refused the second time`() async throws {
        let service = try await app.publish("180D")
        app.act { $0.add(service) }
        try await app.saw("added 180D failed: the service is already published")
        #expect(await daemon.adapter.offeredServices == [Self.heartRate])
    }

    // MARK: Included services

    /// A service that includes others.
    private func service(_ uuid: String, including included: [CBMutableService]) -> CBMutableService {
        let service = service(uuid)
        service.includedServices = included
        return service
    }

    /// The services of each application, and what they include.
    @LoopActor
    private var applications: [String] {
        func short(_ uuid: String) -> String { CBUUID(shortening: uuid)?.uuidString ?? uuid }
        return daemon.adapter.applications.map { application in
            application.services.map { service in
                let included = service.includes.compactMap { path in
                    application.services.first { $0.path == path }.map { short($0.uuid) }
                }
                return short(service.uuid) + (included.isEmpty ? "" : " with \(included.joined(separator: " "))")
            }.joined(separator: ", ")
        }.sorted()
    }

    @LoopActor
    private var handles: [UInt16] { daemon.adapter.applications.flatMap { $0.services.compactMap(\.handle) } }

    @Test func `a service includes those that were published before`() async throws {
        let (battery, information) = (try await app.publish("180F"), try await app.publish("180A"))
        try await app.publish("181A")
        let heart = service("180D", including: [battery, information])
        app.act { $0.add(heart) }
        try await app.saw("added 180D")
        #expect(await applications == ["180F, 180A, 180D with 180F 180A", "181A"])
        #expect(await Set(handles).count == 4)
        // Another one of the same.
        let bike = service("1818", including: [battery])
        app.act { $0.add(bike) }
        try await app.saw("added 1818")
        #expect(await applications == ["180F, 180A, 180D with 180F 180A, 1818 with 180F", "181A"])
        app.act { $0.remove(bike) }
        try await eventually("the end of it") { applications == ["180F, 180A, 180D with 180F 180A", "181A"] }
        app.act { $0.remove(heart) }
        try await eventually("each by itself") { applications == ["180A", "180F", "181A"] }
    }

    @Test func `a service goes on without one that it has included and that is withdrawn`() async throws {
        let battery = try await app.publish("180F")
        let heart = service("180D", including: [battery])
        app.act { $0.add(heart) }
        try await app.saw("added 180D")
        app.act { $0.remove(battery) }
        try await eventually("the rest") { applications == ["180D"] }
        app.act { $0.removeAllServices() }
        try await eventually("nothing") { applications == [] }
    }

    @Test func `a service that includes one that is not published is refused`() async throws {
        try await app.saw("state on")
        let heart = service("180D", including: [service("180F")])
        app.act { $0.add(heart) }
        try await eventually("the refusal") { app.lines.count == 2 }
        #expect(app.lines.last?.hasPrefix("added 180D failed: included services must be published first") == true)
        #expect(await applications == [])
    }

    @Test func `services stay as they are when one that includes them is refused`() async throws {
        let battery = try await app.publish("180F")
        await daemon.react(to: "RegisterApplication", times: 1, with: .refuse("NotSupported", "not here"))
        let heart = service("180D", including: [battery])
        app.act { $0.add(heart) }
        try await eventually("the refusal") { app.lines.last?.hasPrefix("added 180D failed: ") == true }
        try await eventually("the other one") { applications == ["180F"] }
    }

    @Test func `what is not allowed is refused without bluetoothd`() async throws {
        try await app.saw("state on")
        let reserved = service("1801")
        app.act { $0.add(reserved) }
        try await app.saw("added 1801 failed: The UUID is reserved for the system.")
        #expect(await daemon.count(of: "RegisterApplication") == 0)
    }

    @Test func `a refusal is reported and the service can be added again`() async throws {
        try await app.saw("state on")
        await daemon.react(to: "RegisterApplication", times: 1, with: .refuse("NotSupported", "not here"))
        let service = service("180D")
        app.act { $0.add(service) }
        try await eventually("the refusal") { app.lines.count == 2 }
        #expect(app.lines.last?.hasPrefix("added 180D failed: ") == true)
        app.act { $0.add(service) }
        try await app.saw("added 180D")
    }

    @Test func `handles that bluetoothd does not grant are left to it`() async throws {
        try await app.saw("state on")
        await daemon.react(to: "RegisterApplication", times: 3, with: .refuse("Failed", "Failed to create entry"))
        try await app.publish("180D")
        #expect(await daemon.count(of: "RegisterApplication") == 4)
        #expect(await daemon.adapter.offeredHandles == [nil])
    }

    @Test @LoopActor func `a service is withdrawn that bluetoothd confirms after the power was off`() async throws {
        try await app.saw("state on")
        daemon.react(to: "RegisterApplication", times: 1, with: .silent)
        let service = service("180D")
        app.act { $0.add(service) }
        let call = try await daemon.call("RegisterApplication")
        daemon.adapter.power(false)
        try await app.saw("state off")
        call.resume()
        try await app.saw("added 180D failed: The operation was cancelled.")
        try await eventually("nothing is left") { daemon.adapter.applications.isEmpty }
    }

    @Test func `a service that a bluetoothd that dies does not confirm is reported`() async throws {
        try await app.saw("state on")
        await daemon.react(to: "RegisterApplication", with: .silent)
        let service = service("180D")
        app.act { $0.add(service) }
        try await daemon.call("RegisterApplication")
        await daemon.die()
        try await app.saw("state resetting")
        try await eventually("the answer") { app.lines.contains { $0.hasPrefix("added 180D failed: ") } }
    }

    @Test func `an answer of a wrong type is an answer`() async throws {
        try await app.saw("state on")
        await daemon.react(to: "RegisterApplication", times: 1, with: .answer([.uint32(7)]))
        try await app.publish("180D")
    }

    @Test func `a manager that is released takes its services back`() async throws {
        var released: PeripheralApp? = PeripheralApp(on: daemon.bus)
        try await released?.publish("180D")
        released = nil
        try await eventually("the service was removed") { daemon.adapter.applications.isEmpty }
    }

    // MARK: What is answered without the program

    @Test func `static values and descriptors are read`() async throws {
        let text = CBMutableCharacteristic("2A29", .read, value: Data([1, 2, 3]))
        text.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "name")
        ]
        try await app.publish("180A", [text])
        let central = await daemon.adapter.connectCentral()
        let published = try #require(await daemon.adapter.characteristic("2A29"))
        #expect(try await published.read(by: central) == Data([1, 2, 3]))
        #expect(try await published.read(by: central, offset: 2) == Data([3]))
        #expect(try await published.read(by: central, offset: 3).isEmpty)
        #expect(await attError { _ = try await published.read(by: central, offset: 4) } == 0x07)
        let application = try #require(await daemon.adapter.applications.first)
        #expect(try await application.read(descriptor: "2901") == Data("name".utf8))
        #expect(await attError { _ = try await application.read(descriptor: "2901", offset: 9) } == 0x07)
        #expect(app.lines.count == 2)
    }
}
