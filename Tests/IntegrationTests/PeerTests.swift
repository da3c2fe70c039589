import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// Programs that others wrote, unchanged: against dittojay, and as a peripheral for bluejay.
    @Suite struct Peers {
        @Test func `bluetoothctl connects, lists attributes and is notified`() async throws {
            let sensor = try await Sensor("--rate", "10")
            let control = try ChildProcess("bluetoothctl")
            try control.type("select \(Lab.centralAddress)")
            try control.type("menu scan")
            // Not by services: bluetoothd 5.87 does not survive that.
            try control.type("transport le")
            try control.type("back")
            try control.type("scan on")
            try await control.line(containing: "Device \(Lab.sensorAddress)", within: .seconds(60))
            try control.type("scan off")
            try control.type("connect \(Lab.sensorAddress)")
            try await control.line(containing: "Connection successful", within: .seconds(60))
            try await sensor.event(.connected) { $0.central == Lab.centralAddress }
            try await control.line(containing: "ServicesResolved: yes", within: .seconds(60))
            try control.type("menu gatt")
            try control.type("list-attributes \(Lab.sensorAddress)")
            try await control.line(containing: "00002a37-0000-1000-8000-00805f9b34fb")
            try control.type("select-attribute 00002a37-0000-1000-8000-00805f9b34fb")
            try control.type("notify on")
            try await control.line(containing: "Notify started", within: .seconds(30))
            try await sensor.event(.subscribed) { $0.characteristic == "heart-rate-measurement" }
            try await control.line(containing: "Value:", within: .seconds(30))
            let position = sensor.position
            try control.type("notify off")
            try await sensor.event(.unsubscribed, from: position)
            try control.type("back")
            try control.type("disconnect \(Lab.sensorAddress)")
            try await sensor.event(.disconnected, from: position)
            try control.type("quit")
            _ = try await control.exitStatus()
            try await sensor.stop()
        }

        @Test func `bleak reads, writes and is notified`() async throws {
            let sensor = try await Sensor("--rate", "20")
            let bleak = try Lab.peer(
                "bleak_central.py", "--adapter", Lab.centralAdapter, "run", Lab.sensorAddress, "services", "read:2A38",
                "write:2A38=02", "read:2A38", "listen:2A37*20")
            #expect(try await bleak.exitStatus(within: .seconds(120)) == 0, "\(bleak.transcript)")
            #expect(bleak.transcript.contains("0000180d-0000-1000-8000-00805f9b34fb"))
            let reads = bleak.lines.filter { $0.contains("\"event\": \"read\"") }
            #expect(reads.count == 2 && reads[0].contains("\"01\"") && reads[1].contains("\"02\""), "\(reads)")
            #expect(bleak.lines.filter { $0.contains("\"event\": \"notify\"") }.count == 20)
            try await sensor.stop()
        }

        @Test(arguments: ["bluez_peripheral_sensor.py", "bless_peripheral.py"])
        func `Bluejay finds, reads, writes and listens to a peripheral in Python`(program: String) async throws {
            let name = "Python"
            let peripheral = try Lab.peer(
                program, "--adapter", Lab.sensorAdapter, "--name", name, "--interval", "0.2")
            try await peripheral.line(containing: "\"ready\"", within: .seconds(60))
            try await bluejay(
                "scan", "--service", "180D", "--count", "1", "--timeout", "30", printing: Lab.sensorAddress)
            try await bluejay("read", Lab.sensorAddress, "180D/2A38", "--format", "u8", printing: "1")
            try await bluejay("write", Lab.sensorAddress, "180D/2A38", "u8:2", printing: "")
            try await bluejay("read", Lab.sensorAddress, "180D/2A38", "--format", "u8", printing: "2")
            try await bluejay(
                "listen", Lab.sensorAddress, "180D/2A37", "--count", "5", "--timeout", "60", "--raw", printing: "")
            try await bluejay("monitor", Lab.sensorAddress, "--count", "3", "--json", printing: "\"rate\":")
            _ = try await peripheral.interrupt()
        }

        private func bluejay(_ arguments: String..., printing text: String) async throws {
            let process = try await Lab.here.bluejay(arguments)
            #expect(text.isEmpty || process.lines.contains { $0.contains(text) }, "\(process.transcript)")
        }
    }
}
