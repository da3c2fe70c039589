import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

/// Without Bluetooth: what the agent keeps of controllers that programs name.
@Suite
@MainActor
struct BluetoothBackendTests {
    private let backend = BluetoothBackend()

    private func request(_ peripheral: UUID, _ adapter: String) -> PeripheralRequest {
        PeripheralRequest(peripheral: peripheral, adapter: adapter, reconnects: false)
    }

    @Test func `a controller's manager goes with the last peripheral that is kept by it`() {
        let (first, second) = (UUID(), UUID())
        backend.keep(request(first, "00:00:00:00:00:01"))
        backend.keep(request(second, "00:00:00:00:00:01"))
        #expect(backend.managers.count == 1)
        backend.release(first, disconnecting: true)
        #expect(backend.managers.count == 1)
        weak let manager = backend.managers.values.first
        backend.release(second, disconnecting: false)
        #expect(backend.managers.isEmpty && backend.kept.isEmpty && backend.leaving.isEmpty)
        #expect(manager == nil)
    }

    @Test func `what is no UUID is not scanned for`() {
        func scan(_ services: [String]?) -> ScanRecord {
            ScanRecord(adapter: "00:AA", services: services, allowsDuplicates: false)
        }
        let scans = [
            scan(["180d", "", "no UUID"]), scan(nil), scan(["0000180F-0000-1000-8000-00805F9B34FB", "180d"]),
        ]
        let services = BluetoothBackend.services(of: scans)
        #expect(Set(services) == [CBUUID(string: "180D"), CBUUID(string: "180F")])
        #expect(services.count == 2)
    }

    @Test func `a program that names one controller after another leaves one manager`() {
        let peripheral = UUID()
        for number in 10..<60 {
            backend.keep(request(peripheral, "00:00:00:00:00:\(number)"))
            #expect(backend.managers.keys.map(\.self) == ["00:00:00:00:00:\(number)"])
        }
        #expect(backend.kept[peripheral]?.request.adapter == "00:00:00:00:00:59")
        backend.release(peripheral, disconnecting: true)
        #expect(backend.managers.isEmpty)
    }
}
