import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

extension InTheLab {
    /// Services of one's own that include others, as a central discovers them.
    @Suite struct IncludedServices {
        @Test func `a service includes others, and goes on without one that is withdrawn`() async throws {
            let peripheral = Car.peripheral(publishing: [Car.door, Car.wheel, Car.car])
            try await peripheral.test { central in
                #expect(try await included(central) == [Car.door, Car.wheel])
                // bluetoothd (5.66) reports the services before it knows that it has subscribed to Service Changed. If
                // they change meanwhile, it is refused with ATT error 0x12, does not ask again, and misses all changes
                // on this link. The answer to a later request comes after that of the subscription.
                _ = try await central.read(central.service(Car.wheel).found(Car.wheel))
                peripheral.remove(Car.door)
                // They go, and what is left comes back. What is discovered meanwhile may go at once.
                try await untilItSucceeds {
                    try await central.discoverEverything()
                    let left = try await included(central)
                    guard left == [Car.wheel] else { throw LabError("\(left) are left") }
                }
            }
        }

        @Test func `a service that is not published cannot be included`() async throws {
            let peripheral = Car.peripheral(publishing: [Car.wheel, Car.car])
            defer { peripheral.stop() }
            let error = await #expect(throws: CBError.self) { try await peripheral.start() }
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

/// A peripheral with a service that includes two others.
private enum Car {
    static let door = CBUUID(string: "C0117E50-0001-4000-8000-000000000011")
    static let wheel = CBUUID(string: "C0117E50-0002-4000-8000-000000000011")
    static let car = CBUUID(string: "C0117E50-0003-4000-8000-000000000011")

    static func peripheral(publishing uuids: [CBUUID]) -> PlainPeripheral {
        let services = [door, wheel, car].map { uuid in
            let service = CBMutableService(type: uuid, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(type: uuid, properties: .read, value: Data([1]), permissions: .readable)
            ]
            return service
        }
        services[2].includedServices = [services[0], services[1]]
        return PlainPeripheral(services.filter { uuids.contains($0.uuid) }, advertising: car)
    }
}
