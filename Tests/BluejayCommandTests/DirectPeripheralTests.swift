import CoreBluetooth
import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ
@testable import BluejayCommand

/// What requests to a device fail with.
@Suite(.timeLimit(.minutes(5)))
@MainActor
struct DirectPeripheralTests {
    @Test func `a request after the end fails with the reason of the end`() async throws {
        let daemon = try await FakeBluetoothd.start()
        let bus = daemon.bus
        let session = BlueZSession(timing: .init(), handleFolder: "/dev/null") { () throws(BusError) in
            try bus.connect()
        }
        let manager = CBCentralManager(delegate: nil, queue: .main, session: session)
        try await eventually("power") { manager.state == .poweredOn }
        let identifier = try #require(CBPeer.identifier(forBluetoothAddress: "00:00:00:00:00:01", isRandom: false))
        let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        let direct = DirectPeripheral(peripheral, manager: manager, device: "Sensor")
        let reason = "it refused to pair"
        direct.centralManager(
            manager, didDisconnectPeripheral: peripheral,
            error: CBError(.encryptionTimedOut, userInfo: [NSLocalizedDescriptionKey: reason]))
        let failure = await #expect(throws: Failure.self) {
            try await direct.discoverEverything(until: .now + .seconds(1), limit: 1)
        }
        #expect(failure?.message.contains(reason) == true)
        #expect(failure?.status == .connectionFailed)
        withExtendedLifetime(daemon) {}
    }
}
