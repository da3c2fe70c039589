import Bluejay
import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// The air, changed by tests.
    @Suite(.needsVirtualRadio) struct RadioInTests {
        @Test(.bluetoothLab(scene: .hallway, sensor: .default))
        func `a sensor that walks out of range is lost and found again`() async throws {
            let (radio, sensor) = (try LabRadio.here, try Sensor.here)
            let central = try await Central()
            try await central.connectToSensor()
            try await sensor.event(.connected) { $0.central == Lab.centralAddress }
            #expect(try await radio.status().links.map(\.peripheral) == ["sensor"])

            try await radio.move("sensor", to: (300, 0), over: .seconds(10))
            try await radio.event("out-of-range", "sensor")
            try await radio.event("link-end", "phone", "supervision timeout")
            try await central.observer.disconnections.first()

            let position = radio.position
            try await radio.move("sensor", to: (1, 0))
            try await radio.event("link-begin", "phone", "sensor", from: position)
            try await central.observer.connections.first(after: 1)
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            try await central.disconnect()
        }

        @Test(.bluetoothLab(sensor: .default))
        func `a link between two that are blocked ends, and comes back when they are not`() async throws {
            let radio = try LabRadio.here
            let central = try await Central()
            try await central.connectToSensor()
            try await radio.block("hci0", "hci1")
            try await radio.event("link-end", "hci1", "supervision timeout")
            try await central.observer.disconnections.first()
            try await radio.unblock("hci0", "hci1")
            try await central.observer.connections.first(after: 1)
            try await central.disconnect()
        }

        /// The kernel ends an extended advertisement by which a central has connected, and bluetoothd goes on counting
        /// it.
        @Test(.bluetoothLab(sensor: .default))
        func `a sensor advertises while a central is connected, and afterwards`() async throws {
            let central = try await Central()
            for _ in 1...2 {
                try await central.connectToSensor()
                try await isAdvertised()
                _ = try await central.read(.sensorLocation, as: UInt8.self)
                try await central.disconnect()
                try await isAdvertised()
            }
        }

        private func isAdvertised() async throws {
            let radio = try LabRadio.here
            let deadline = ContinuousClock.now + .seconds(20)
            while try await radio.status().devices.first?.advertises != true {
                try #require(.now < deadline, "the sensor does not advertise")
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        @Test func `a strength that is set by hand is that of the scan`() async throws {
            let radio = try LabRadio.here
            // What the test before has changed is no longer there.
            let status = try await radio.status()
            #expect(status.air == "ideal" && status.devices.prefix(2).map(\.x) == [0, 1])
            let sensor = try await Sensor()
            try await radio.rssi("hci0", "hci1", -42)
            let central = try await Central()
            #expect(try await central.find().rssi == -42)
            try await sensor.stop()
        }

        @Test func `what cannot be done is refused, with what was probably meant`() async throws {
            let radio = try LabRadio.here
            do {
                try await radio.move("hci9", to: (1, 2))
                Issue.record("hci9 was moved")
            } catch {
                guard case .refused(let command, let reason) = error else { throw error }
                #expect(command == "virtual-radio move hci9 1.0 2.0" && reason.contains("unknown device hci9"))
            }
        }
    }
}
