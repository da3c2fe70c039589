import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

extension InTheLab {
    /// Services of one's own that include others, as a central discovers them.
    @Suite struct IncludedServices {
        @Test func `a service includes others, and goes on without one that is withdrawn`() async throws {
            try await Lab.here.forgetEachOther()
            let (car, central) = (Car(), PlainCentral())
            defer {
                central.giveUp()
                car.stop()
            }
            try await car.start()
            try await central.connect(advertising: Car.car.uuidString)
            try await central.discoverEverything()
            #expect(try await included(central) == [Car.door, Car.wheel])
            try await car.remove(Car.door)
            // They go, and what is left comes back.
            var changes = 0
            repeat {
                changes += 1
                _ = try await central.changes.values(changes)
                try await central.discoverEverything()
            } while try await (try? included(central)) != [Car.wheel]
            try await central.disconnect()
        }

        @Test func `a service that is not published cannot be included`() async throws {
            let car = Car()
            defer { car.stop() }
            let error = await #expect(throws: CBError.self) {
                try await car.start(publishing: [Car.wheel, Car.car])
            }
            #expect(error?.code == .invalidParameters)
        }

        /// What the car includes, by UUID.
        private func included(_ central: PlainCentral) async throws -> [CBUUID] {
            let car = try await central.service(Car.car)
            try await central.discoverIncludedServices(of: car)
            return try await central.on {
                (car.includedServices ?? []).map(\.uuid).sorted { $0.uuidString < $1.uuidString }
            }
        }
    }
}

/// A peripheral of this process with a service that includes two others.
// @unchecked: its state is touched on its queue only.
private final class Car: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
    static let door = CBUUID(string: "C0117E50-0001-4000-8000-000000000011")
    static let wheel = CBUUID(string: "C0117E50-0002-4000-8000-000000000011")
    static let car = CBUUID(string: "C0117E50-0003-4000-8000-000000000011")

    private let advertising = Promise<(any Error)?>("the advertisement")
    private let queue = DispatchQueue(label: "car")
    private let services: [CBMutableService] = [door, wheel, car].map { uuid in
        let service = CBMutableService(type: uuid, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(type: uuid, properties: .read, value: Data([1]), permissions: .readable)
        ]
        return service
    }
    private var manager: CBPeripheralManager?
    private var missing: [CBMutableService] = []

    override init() {
        super.init()
        services[2].includedServices = [services[0], services[1]]
    }

    /// Returns when it advertises.
    func start(publishing uuids: [CBUUID] = [door, wheel, car]) async throws {
        queue.async { [self] in
            missing = services.filter { uuids.contains($0.uuid) }
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: Lab.sensorAdapter])
        }
        if let error = try await advertising.value(within: .seconds(40)) { throw error }
    }

    func remove(_ uuid: CBUUID) async throws {
        queue.sync {
            if let service = services.first(where: { $0.uuid == uuid }) { manager?.remove(service) }
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
        for service in missing { peripheral.add(service) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return advertising.fulfil(error) }
        missing.removeAll { $0 === service }
        if missing.isEmpty { peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.car]]) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        advertising.fulfil(error)
    }
}
