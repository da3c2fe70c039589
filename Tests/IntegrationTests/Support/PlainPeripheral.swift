import BluetoothLab
import CoreBluetooth
import Foundation

/// A peripheral of this process, on CoreBluetooth itself. It takes all writes.
// @unchecked: its state is touched on its queue only.
final class PlainPeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
    /// What was written.
    let values = Collector<Data>()
    private let services: [CBMutableService]
    private let advertised: CBUUID
    private let advertising = Promise<(any Error)?>("the advertisement")
    private let queue = DispatchQueue(label: "plain peripheral")
    private var manager: CBPeripheralManager?
    private var published = 0

    init(_ services: [CBMutableService], advertising advertised: CBUUID) {
        self.services = services
        self.advertised = advertised
    }

    /// Returns when it advertises.
    ///
    /// - Throws: why a service cannot be published, or why it does not advertise.
    func start() async throws {
        queue.async { [self] in
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: Lab.sensorAdapter])
        }
        if let error = try await advertising.value(within: .seconds(40)) { throw error }
    }

    /// Withdraws the services with the UUID.
    func remove(_ uuid: CBUUID) {
        queue.sync {
            for service in services where service.uuid == uuid { manager?.remove(service) }
        }
    }

    func stop() {
        queue.sync {
            manager?.removeAllServices()
            manager = nil
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        for service in services { peripheral.add(service) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return advertising.fulfil(error) }
        published += 1
        guard published == services.count else { return }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [advertised]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        advertising.fulfil(error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { values.add(request.value ?? Data()) }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }

    /// Runs a test with it, and a central that is connected to it and has discovered everything.
    func test(_ body: (PlainCentral) async throws -> Void) async throws {
        try await Lab.here.forgetEachOther()
        let central = PlainCentral()
        defer {
            central.giveUp()
            stop()
        }
        try await start()
        try await central.connect(advertising: advertised.uuidString)
        try await central.discoverEverything()
        try await body(central)
        try await central.disconnect()
    }
}
