import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import BluejayCommand
@testable import CoreBluetooth

/// What requests to a device fail with.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@MainActor
struct DirectPeripheralTests {
    private let daemon: FakeBluetoothd
    private let manager: CBCentralManager
    private let peripheral: CBPeripheral
    private let direct: DirectPeripheral
    private nonisolated static let address = "00:00:00:00:00:01"
    private static let reason = "it refused to pair"

    init() async throws {
        daemon = try await FakeBluetoothd.start()
        let bus = daemon.bus
        let session = BlueZSession(timing: .init(), handleFolder: "/dev/null") { () throws(BusError) in
            try bus.connect()
        }
        let manager = CBCentralManager(delegate: nil, queue: .main, session: session)
        try await eventually("power") { manager.state == .poweredOn }
        let identifier = try #require(CBPeer.identifier(forBluetoothAddress: Self.address, isRandom: false))
        peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        direct = DirectPeripheral(peripheral, manager: manager, device: "Sensor")
        self.manager = manager
    }

    private func end() {
        direct.centralManager(
            manager, didDisconnectPeripheral: peripheral,
            error: CBError(.encryptionTimedOut, userInfo: [NSLocalizedDescriptionKey: Self.reason]))
    }

    private func expectReason() async {
        let failure = await #expect(throws: Failure.self) {
            try await direct.discoverEverything(until: .now + .seconds(20), limit: 20)
        }
        #expect(failure?.message.contains(Self.reason) == true)
        #expect(failure?.status == .connectionFailed)
    }

    @Test func `a request after the end fails with the reason of the end`() async throws {
        end()
        await expectReason()
    }

    /// The list of services is empty when the task that waited for it continues.
    @Test func `an end right after an answer is no lack of characteristics`() async throws {
        await addDevice()
        manager.connect(peripheral)
        try await eventually("the connection") { peripheral.state == .connected }
        let listener = EndingListener(direct) { [self] in
            peripheral.connectionIsDown(request: 1)
            end()
        }
        peripheral.delegate = listener
        await expectReason()
    }

    @LoopActor
    private func addDevice() {
        daemon.adapter.addDevice(Self.address).addService("180D", [.init("2A38", ["read"], value: Data([1]))])
    }
}

/// Passes on that services were discovered, and has the link end before anybody else runs.
@MainActor
private final class EndingListener: NSObject, @preconcurrency CBPeripheralDelegate {
    private let direct: DirectPeripheral
    private let end: () -> Void

    init(_ direct: DirectPeripheral, end: @escaping () -> Void) {
        self.direct = direct
        self.end = end
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        direct.peripheral(peripheral, didDiscoverServices: error)
        end()
    }
}
