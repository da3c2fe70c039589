import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Answers of a peripheral manager come in the order of the calls, whichever of them bluetoothd has to be asked for.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AnswerOrderTests {
    private let daemon: FakeBluetoothd
    private let app: App

    init() async throws {
        daemon = try await .start()
        app = App(on: daemon)
        try await app.saw("state 5")
    }

    @Test func `two quick calls to advertise are answered in their order`() async throws {
        await daemon.react(to: "RegisterAdvertisement", times: 1, with: .late(.milliseconds(50)))
        app.act {
            $0.startAdvertising(nil)
            $0.startAdvertising(nil)
        }
        try await app.saw("advertising 9")
        #expect(app.lines == ["state 5", "advertising ok", "advertising 9"])
        #expect(app.act { $0.isAdvertising })
    }

    @Test func `a service that cannot be published is refused after the one before it is published`() async throws {
        await daemon.react(to: "RegisterApplication", times: 1, with: .late(.milliseconds(50)))
        app.act {
            $0.add(CBMutableService(type: CBUUID(string: "180D"), primary: true))
            // A static value that can be written.
            let wrong = CBMutableService(type: CBUUID(string: "180F"), primary: true)
            wrong.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A19"), properties: .write, value: Data([1]), permissions: .writeable)
            ]
            $0.add(wrong)
        }
        try await app.saw("added 180F error")
        #expect(app.lines == ["state 5", "added 180D ok", "added 180F error"])
    }

    /// A program with a peripheral manager on a fake bluetoothd: it notes the calls of its delegate.
    // @unchecked: the manager can be used on any thread, and the journal is locked.
    private final class App: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
        private let queue = DispatchQueue(label: "app", attributes: .initiallyInactive)
        private let journal = Locked<[String]>([])
        private let manager: CBPeripheralManager

        init(on daemon: FakeBluetoothd) {
            let bus = daemon.bus
            manager = CBPeripheralManager(
                delegate: nil, queue: queue, session: BlueZSession { () throws(BusError) in try bus.connect() })
            super.init()
            manager.delegate = self
            // Not before: the first state is reported once.
            queue.activate()
        }

        var lines: [String] { journal.withLock { $0 } }

        func act<T: Swift.Sendable>(_ body: @Sendable (CBPeripheralManager) -> T) -> T {
            queue.sync { body(manager) }
        }

        func saw(_ line: String) async throws {
            try await eventually(line) { [journal] in journal.withLock { $0.contains(line) } }
        }

        private func note(_ line: String) { journal.withLock { $0.append(line) } }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            note("state \(peripheral.state.rawValue)")
        }

        func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
            note("advertising " + ((error as? CBError).map { "\($0.errorCode)" } ?? "ok"))
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
            note("added \(service.uuid.uuidString) \(error == nil ? "ok" : "error")")
        }
    }
}
