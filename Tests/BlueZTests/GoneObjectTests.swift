import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// What becomes of calls when their object goes, which bluetoothd never answers then.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct GoneObjectTests {
    private static let methods = ["ReadValue", "WriteValue", "StartNotify"]
    private let daemon: FakeBluetoothd
    private let session: BlueZSession
    private let service: FakeService

    init() async throws {
        daemon = try await .start()
        let device = daemon.adapter.addDevice()
        service = device.addService("180D", [.init("2A37", ["read", "write", "notify"])])
        device.show()
        service.appear()
        for method in Self.methods { daemon.react(to: method, with: .silent) }
        session = BlueZSession { [bus = daemon.bus] () throws(BusError) in try bus.connect() }
        try await session.waitUntilAvailable()
    }

    private var characteristic: RemoteCharacteristic {
        get throws {
            try #require(session.adapters.first?.devices.first?.services.first?.characteristics.first)
        }
    }

    private var calls: [FakeCall] { daemon.calls.filter { Self.methods.contains($0.method) } }

    private func fence() async throws {
        try await daemon.connection.fence()
        try await session.connection?.fence()
    }

    @Test func `calls that are under way fail when their object goes`() async throws {
        let characteristic = try characteristic
        var outcomes: [String] = []
        characteristic.read { outcomes.append("read \(Self.text($0))") }
        characteristic.write(Data([1]), as: .request) { outcomes.append("write \(Self.text($0))") }
        characteristic.startNotify { outcomes.append("notify \(Self.text($0))") }
        try await fence()
        #expect(calls.count == 3 && outcomes.isEmpty)
        service.disappear()
        try await fence()
        #expect(outcomes.sorted() == ["notify gone", "read gone", "write gone"])
        // Answers that come all the same are nobody's.
        for call in calls { call.invocation.reply(call.method == "ReadValue" ? [.bytes(Data())] : []) }
        try await fence()
        #expect(outcomes.count == 3)
    }

    @Test func `calls of an object that was removed fail`() async throws {
        let characteristic = try characteristic
        service.disappear()
        try await fence()
        var outcomes: [String] = []
        characteristic.read { outcomes.append("read \(Self.text($0))") }
        #expect(outcomes.isEmpty, "a completion is never called from within the call")
        try await fence()
        #expect(outcomes == ["read gone"] && calls.isEmpty)
    }

    @Test func `an object at the same path is another`() async throws {
        let former = try characteristic
        var outcomes: [String] = []
        former.read { outcomes.append("former \(Self.text($0))") }
        service.disappear()
        service.appear()
        try await fence()
        #expect(outcomes == ["former gone"])
        let present = try characteristic
        #expect(present !== former && present.path == former.path && present.isValid && !former.isValid)
        present.read { outcomes.append("present \(Self.text($0))") }
        try await fence()
        try #require(calls.last).invocation.reply([.bytes(Data([7]))])
        try await fence()
        #expect(outcomes.last == "present success")
    }

    private static func text<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success: "success"
        case .failure(BlueZError.objectRemoved): "gone"
        case .failure(let error): "\(error)"
        }
    }
}
