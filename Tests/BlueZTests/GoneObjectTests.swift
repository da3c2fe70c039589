import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ

/// A bluetoothd of the tests: one device with one service, whose characteristic never answers.
@BusActor
private final class SilentDaemon {
    let connection: BusConnection
    private(set) var calls: [(name: String, invocation: MethodInvocation)] = []
    private static let device = path("/org/bluez/hci0/dev_00_AA_01_00_00_00")
    private static var service: ObjectPath { device.appending("service0060") }
    private static var characteristic: ObjectPath { service.appending("char0061") }

    init(_ bus: PrivateBus) async throws {
        connection = try bus.connect()
        connection.exportObjectManager(at: .root)
        let adapter = path("/org/bluez/hci0")
        try connection.export([Self.interface(Adapter.interface, ["Address": "00:AA:01:01:00:01"])], at: adapter)
        try connection.export([Self.interface(Device.interface, ["Address": "00:AA:01:00:00:00"])], at: Self.device)
        try addService()
        try await connection.requestName(BlueZSession.serviceName)
    }

    func addService() throws {
        let uuid = "0000180d-0000-1000-8000-00805f9b34fb"
        try connection.export([Self.interface(RemoteService.interface, ["UUID": uuid])], at: Self.service)
        let methods = ["ReadValue", "WriteValue", "StartNotify"].map { name in
            ExportedMethod(
                name,
                inputs: (name == "WriteValue" ? [ExportedArgument("value", Data.self)] : [])
                    + (name == "StartNotify" ? [] : [ExportedArgument("options", [String: BusValue].self)])
            ) { [weak self] in self?.calls.append((name, $0)) }
        }
        try connection.export(
            [Self.interface(RemoteCharacteristic.interface, ["UUID": uuid], methods)], at: Self.characteristic)
    }

    func removeService() {
        connection.unexport(Self.characteristic)
        connection.unexport(Self.service)
    }

    private static func interface(
        _ name: String, _ properties: [String: String], _ methods: [ExportedMethod] = []
    ) -> ExportedInterface {
        ExportedInterface(
            name, methods: methods,
            properties: properties.sorted { $0.key < $1.key }.map { name, value in
                ExportedProperty(name, get: { value })
            })
    }
}

@Suite(.timeLimit(.minutes(1)))
@BusActor
struct GoneObjectTests {
    private let bus: PrivateBus
    private let daemon: SilentDaemon
    private let session: BlueZSession

    init() async throws {
        bus = try await .start()
        daemon = try await SilentDaemon(bus)
        session = BlueZSession { [bus] () throws(BusError) in try bus.connect() }
        try await session.waitUntilAvailable()
    }

    private var characteristic: RemoteCharacteristic {
        get throws {
            try #require(session.adapters.first?.devices.first?.services.first?.characteristics.first)
        }
    }

    private func fence() async throws {
        try await daemon.connection.fence()
        try await session.connection?.fence()
    }

    @Test func callsThatAreUnderWayFailWhenTheirObjectGoes() async throws {
        let characteristic = try characteristic
        var outcomes: [String] = []
        characteristic.read { outcomes.append("read \(Self.text($0))") }
        characteristic.write(Data([1]), as: .request) { outcomes.append("write \(Self.text($0))") }
        characteristic.startNotify { outcomes.append("notify \(Self.text($0))") }
        try await fence()
        #expect(daemon.calls.count == 3 && outcomes.isEmpty)
        daemon.removeService()
        try await fence()
        #expect(outcomes.sorted() == ["notify gone", "read gone", "write gone"])
        // Answers that come all the same are nobody's.
        for call in daemon.calls { call.invocation.reply(call.name == "ReadValue" ? [.bytes(Data())] : []) }
        try await fence()
        #expect(outcomes.count == 3)
    }

    @Test func callsOfAnObjectThatIsGoneFail() async throws {
        let characteristic = try characteristic
        daemon.removeService()
        try await fence()
        var outcomes: [String] = []
        characteristic.read { outcomes.append("read \(Self.text($0))") }
        #expect(outcomes.isEmpty, "a completion is never called from within the call")
        try await fence()
        #expect(outcomes == ["read gone"] && daemon.calls.isEmpty)
    }

    @Test func anObjectAtTheSamePathIsAnother() async throws {
        let former = try characteristic
        var outcomes: [String] = []
        former.read { outcomes.append("former \(Self.text($0))") }
        daemon.removeService()
        try daemon.addService()
        try await fence()
        #expect(outcomes == ["former gone"])
        let present = try characteristic
        #expect(present !== former && present.path == former.path && present.isValid && !former.isValid)
        present.read { outcomes.append("present \(Self.text($0))") }
        try await fence()
        try #require(daemon.calls.last).invocation.reply([.bytes(Data([7]))])
        try await fence()
        #expect(outcomes.last == "present success")
    }

    private static func text<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success: "success"
        case .failure(BlueZError.gone): "gone"
        case .failure(let error): "\(error)"
        }
    }
}
