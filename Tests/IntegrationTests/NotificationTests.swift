import Bluejay
import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    @Suite struct Notifications {
        @Test func `heart rates come and decode`() async throws {
            let sensor = try await Sensor("--rate", "20", "--seed", "7")
            let central = try await Central()
            try await central.connectToSensor()
            let values = try await central.listen(to: .heartRate, on: sensor)
            for value in try await values.values(30) {
                let measurement = try HeartRateMeasurement(bytes: value.get())
                #expect((20...250).contains(Int(measurement.rate)))
            }
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `one hundred notifications arrive in order`() async throws {
            try await burst(100, size: 20, "--rate", "50")
        }

        @Test(arguments: [20, 180])
        func `a burst of five thousand loses nothing`(size: Int) async throws {
            try await burst(5000, size: size)
        }

        private func burst(_ count: Int, size: Int, _ options: String...) async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            try await expectBurst(count, size: size, options, from: sensor, to: central)
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `a chirp from another terminal arrives`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            let values = try await central.listen(to: .chirp, on: sensor)
            try await sensor.command("chirp")
            try await sensor.command("chirp", "hello")
            try await sensor.command("chirp", "hex:00ff10")
            let received = try await values.values(3).map { try $0.get() }
            #expect(received == [Data(), Data("hello".utf8), Data([0x00, 0xFF, 0x10])])
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `after end listen nothing arrives and a listen can be installed again`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            let first = try await central.listen(to: .chirp, on: sensor)
            try await sensor.command("chirp", "one")
            _ = try await first.values(1)
            let position = sensor.position
            try await central.endListen(to: .chirp)
            try await sensor.event(.unsubscribed, from: position)
            try await sensor.command("chirp", "lost")
            let second = try await central.listen(to: .chirp, on: sensor)
            try await sensor.command("chirp", "two")
            #expect(try await second.values(1).map { try $0.get() } == [Data("two".utf8)])
            #expect(first.values.count == 1)
            try await central.disconnect()
            try await sensor.stop()
        }
    }
}
