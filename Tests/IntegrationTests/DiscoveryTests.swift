import Bluejay
import BluetoothLab
import CoreBluetooth
import GATTProfiles
import TestSupport
import Testing

extension InTheLab {
    @Suite struct Discovery {
        @Test func `a scan for the service finds the sensor`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            let central = try await Central()
            let discovery = try await central.find(HeartRateService.uuid)
            let services = discovery.advertisementPacket[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
            #expect(services.contains(CBUUID(string: HeartRateService.uuid)))
            #expect(services.contains(CBUUID(string: ChirpService.uuid)))
            #expect(discovery.advertisementPacket[CBAdvertisementDataLocalNameKey] as? String == "Dittojay")
            try await sensor.stop()
        }

        @Test func `what has been connected is found by what it advertises now`() async throws {
            // bluetoothd keeps the services of this connection, and reports no others.
            try await withProfile("thermometer", advertising: "181A") { _, _ in }
            let sensor = try await Sensor()
            let central = try await Central()
            _ = try await central.find(ChirpService.uuid)
            try await sensor.stop()
        }

        @Test func `a scan for another service does not find it`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            let stopped: Bool = try await answer("the end of the scan") { [bluejay = central.bluejay] done in
                bluejay.scan(
                    duration: 3, serviceIdentifiers: [ServiceIdentifier(uuid: "1809")],
                    discovery: { _, _ in .continue }, stopped: { found, error in done(found.isEmpty && error == nil) })
            }
            #expect(stopped, "nothing was found, and the scan ended by its duration without an error")
            try await sensor.stop()
        }

        @Test func `a scan without a filter finds the sensor by its name`() async throws {
            let sensor = try await Sensor("--name", "Nightjar")
            let central = try await Central()
            let name: String = try await answer("the sensor") { [bluejay = central.bluejay] found in
                bluejay.scan(
                    serviceIdentifiers: nil,
                    discovery: { discovery, _ in
                        guard discovery.peripheralIdentifier.name == "Nightjar" else { return .continue }
                        found(discovery.peripheralIdentifier.name)
                        return .stop
                    }, stopped: { _, _ in })
            }
            #expect(name == "Nightjar")
            try await sensor.stop()
        }

        @Test func `the sensor is found in less than a second ten times in a row`() async throws {
            let sensor = try await Sensor()
            try await findTenTimes()
            try await sensor.stop()
        }

        /// bluetoothd goes on with that scan, in which the controller has reported the sensor already.
        @Test func `the sensor is found as soon beside another program's scan`() async throws {
            let sensor = try await Sensor()
            let scan = try ChildProcess("bluejay", ["scan", "--timeout", "0"])
            try await scan.line(containing: "Dittojay")
            try await findTenTimes()
            _ = try await scan.interrupt()
            try await sensor.stop()
        }

        private func findTenTimes() async throws {
            let central = try await Central()
            var times: [Duration] = []
            for _ in 0..<10 {
                let start = ContinuousClock.now
                _ = try await central.find()
                times.append(.now - start)
            }
            #expect(times.sorted()[5] < timeLimit(1), "\(times)")
        }
    }
}
