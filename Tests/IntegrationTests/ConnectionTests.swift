import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    @Suite struct Connections {
        @Test func `both sides see the connection and its end`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            let identifier = try await central.find().peripheralIdentifier
            try await central.connect(identifier)
            try await sensor.event(.connected) { $0.central == Lab.centralAddress }
            #expect(try await central.observer.connections.first() == identifier)
            let position = sensor.position
            try await central.disconnect()
            try await sensor.event(.disconnected, from: position) { $0.central == Lab.centralAddress }
            #expect(try await central.observer.disconnections.first() == identifier)
            try await sensor.stop()
        }

        @Test func `the sensor can end the connection and the central reconnects by itself`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            // bluetoothd 5.66 keeps a half-found table for the whole one when the link ends while it is looking.
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            try await sensor.command("disconnect")
            try await central.observer.disconnections.first()
            // An unexpected disconnection: Bluejay's auto-reconnect.
            try await central.observer.connections.first(after: 1)
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            try await central.disconnect()
            try await sensor.stop()
        }

        /// bluetoothd would end it for any program that asks.
        @Test func `a program that reads leaves the link of another one alone`() async throws {
            let sensor = try await Sensor()
            let listen = try ChildProcess("bluejay", ["listen", "Dittojay", ChirpService.chirp, "--format", "text"])
            try await sensor.event(.subscribed, within: .seconds(60))
            try await Lab.here.bluejay("read", "Dittojay", "2A38")
            try await sensor.command("chirp", "still there")
            try await listen.line(containing: "still there")
            #expect(try await listen.interrupt() == 0)
            try await sensor.stop()
        }

        @Test func `connecting to an absent device times out with its error`() async throws {
            let central = try await Central()
            let absent = try #require(
                CBPeer.identifier(forBluetoothAddress: "00:AA:01:77:77:77", isRandom: false))
            await #expect {
                try await central.connect(PeripheralIdentifier(uuid: absent, name: nil), timeout: .seconds(1))
            } throws: { error in
                if case BluejayError.connectionTimedOut = error { true } else { false }
            }
        }

        /// The kernel is still setting the link up by then.
        @Test(.withoutProxy("the strength of the link to the first controller"))
        func `the signal strength can be read in the moment of the connection`() async throws {
            final class Meter: RSSIObserver, Swift.Sendable {
                let readings = Collector<String>()
                func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
                    readings.add("\(RSSI) \(error?.short ?? "dBm")")
                }
            }
            let sensor = try await Sensor()
            let central = try await Central()
            let identifier = try await central.find().peripheralIdentifier
            let meter = Meter()
            let strength = "\(try await Lab.here.linkStrength()) dBm"
            for round in 1...5 {
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.register(rssiObserver: meter)
                    bluejay.connect(identifier) { _ in try? bluejay.readRSSI() }
                }
                #expect(try await meter.readings.values(round).last == strength)
                try await central.disconnect()
            }
            try await sensor.stop()
        }

        @Test func `power off ends everything and power on brings it back`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            let values = try await central.listen(to: .chirp, on: sensor)
            // The sensor has the subscription before the central has the answer. A listen that is not through by then
            // fails when Bluetooth is off; one that is ends silently.
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            let states = central.observer.available.values.count
            try await Lab.here.power(off: Lab.centralAdapter)
            try await central.observer.available.first(after: states) { !$0 }
            #expect(values.values.isEmpty)
            let before = central.observer.available.values.count
            try await Lab.here.power(on: Lab.centralAdapter)
            try await central.observer.available.first(after: before) { $0 }
            try await central.connectToSensor()
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `the sensor advertises again after its controller was off`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            let position = sensor.position
            try await Lab.here.power(off: Lab.sensorAdapter)
            try await sensor.event(.state, from: position)
            try await Lab.here.power(on: Lab.sensorAdapter)
            try await sensor.event(.advertising, from: position)
            try await central.connectToSensor()
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `bluetoothd killed and restarted is survived by both sides`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            let position = sensor.position
            let states = central.observer.available.values.count
            try await Lab.here.bluetoothd(.kill)
            try await central.observer.available.first(after: states) { !$0 }
            try await Lab.here.bluetoothd(.start)
            let start = ContinuousClock.now
            try await sensor.event(.advertising, from: position)
            let delay = ContinuousClock.now - start
            #expect(delay < .seconds(5), "advertised again after \(delay)")
            try await central.observer.available.first(after: states + 1) { $0 }
            try await central.connectToSensor()
            let values = try await central.listen(to: .chirp, on: sensor)
            try await sensor.command("chirp", "back")
            #expect(try await values.values(1).map { try $0.get() } == [Data("back".utf8)])
            try await central.disconnect()
            try await sensor.stop()
        }
    }
}
