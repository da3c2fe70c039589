import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// An async central on a fake bluetoothd with one device.
@MainActor
final class AsyncBench {
    let daemon: FakeBluetoothd
    let device: FakeDevice
    let central: AsyncCentral
    let identifier: UUID

    init() async throws {
        daemon = try await FakeBluetoothd.start()
        device = await Self.addDevice(to: daemon)
        let bus = daemon.bus
        let session = BlueZSession(timing: .init(), handleFolder: "/dev/null") { () throws(BusError) in
            try bus.connect()
        }
        central = AsyncCentral(CBCentralManager(delegate: nil, queue: .main, session: session))
        identifier = try #require(await CBPeer.identifier(forBluetoothAddress: device.address, isRandom: true))
        try await central.waitUntilOn()
    }

    @LoopActor
    private static func addDevice(to daemon: FakeBluetoothd) -> FakeDevice {
        let device = daemon.adapter.addDevice(advertising: ["180D"])
        device.addService(
            "180D",
            [
                .init("2A37", ["notify"], descriptors: ["2901"]), .init("2A38", ["read", "write"], value: Data([1])),
                .init("2A39", ["read", "write-without-response"], value: Data([2])),
            ])
        return device
    }

    func connect() async throws -> AsyncPeripheral { try await central.connect(identifier, within: 30) }

    /// A connection, and a characteristic of the device.
    func connect(_ uuid: String) async throws -> (AsyncPeripheral, CBCharacteristic) {
        let link = try await connect()
        let services = try await link.discoverEverything(within: 30)
        let characteristics = services.flatMap { $0.characteristics ?? [] }
        return (link, try #require(characteristics.first { $0.uuid == CBUUID(string: uuid) }))
    }
}

/// How a call has failed, in a word; `nothing` if it has not.
@MainActor
func failure<Answer>(_ call: @MainActor () async throws -> Answer) async -> String {
    do {
        _ = try await call()
        return "nothing"
    } catch {
        switch error as? CentralError {
        case nil: return "\(error)"
        case .noAnswer(let limit): return "no answer within \(limit)"
        case .linkLost(let error): return "link lost" + words(error)
        case .unencrypted: return "unencrypted"
        case .linkLostAtOnce: return "link lost at once"
        case .bluetoothOff: return "off"
        case .unknownPeripheral: return "unknown"
        case .att(let error): return "ATT error \(error.code.rawValue)"
        case .failed(let error): return "refused \(error.code)"
        case .cancelled: return "cancelled"
        }
    }
}
