import BluetoothLab
import CoreBluetooth
import Foundation

/// A peripheral of this process, on CoreBluetooth itself, that takes writes with and without response.
// @unchecked: its state is touched on its queue only.
final class WriteCounter: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
    static let service = CBUUID(string: "C0117E50-0000-4000-8000-000000000010")
    static let sink = CBUUID(string: "C0117E50-0001-4000-8000-000000000010")
    static let name = CBUUID(string: "C0117E50-0002-4000-8000-000000000010")

    /// What was written.
    let values = Collector<Data>()
    private let advertising = Promise<(any Error)?>("the advertisement")
    private let queue = DispatchQueue(label: "write counter")
    private var manager: CBPeripheralManager?

    /// Returns when it advertises.
    func start() async throws {
        queue.async { [self] in
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: Lab.sensorAdapter])
        }
        if let error = try await advertising.value(within: .seconds(40)) { throw error }
    }

    func stop() {
        queue.sync {
            manager?.removeAllServices()
            manager = nil
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: Self.sink, properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable),
            CBMutableCharacteristic(
                type: Self.name, properties: .read, value: Data("counter".utf8), permissions: .readable),
        ]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return advertising.fulfil(error) }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        advertising.fulfil(error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { values.add(request.value ?? Data()) }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }
}
