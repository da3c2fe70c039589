import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

/// A peripheral on the lab's sensor controller that does nothing but advertise.
// @unchecked: the manager is touched on its queue only.
final class Beacon: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
    let service: CBUUID
    private let queue = DispatchQueue(label: "beacon")
    private let starts = Collector<String>()
    private var manager: CBPeripheralManager?

    /// - Parameter service: what it advertises.
    init(_ service: String = "C0000900-0000-4000-8000-000000000000") {
        self.service = CBUUID(string: service)
    }

    func start() async throws {
        try await started {
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: Lab.sensorAdapter])
        }
    }

    func restart() async throws {
        try await started {
            manager?.stopAdvertising()
            if let manager { peripheralManagerDidUpdateState(manager) }
        }
    }

    private func started(by action: () -> Void) async throws {
        let count = starts.values.count
        queue.sync(execute: action)
        let answer = try await starts.values(count + 1).last
        #expect(answer == "started")
    }

    /// Returns when bluetoothd has it no longer.
    func stop() async {
        await withCheckedContinuation { stopped in
            queue.sync {
                guard let manager else { return stopped.resume() }
                manager.stopAdvertising()
                manager.settle { stopped.resume() }
            }
        }
        queue.sync { manager = nil }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        starts.add(error.map { "\($0)" } ?? "started")
    }
}
