import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// The program `bluejay`, as a script uses it.
    @Suite struct BluejayCommand {
        @Test func `scan prints the sensor as JSON`() async throws {
            // bluetoothd reports the services of an earlier connection in place of those that are advertised.
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            let scan = try await bluejay("scan", "--json", "--service", "180D", "--count", "1", "--timeout", "20")
            let line = try #require(scan.lines.first { $0.contains(Lab.sensorAddress) })
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["name"] as? String == "Dittojay")
            #expect((object["services"] as? [String])?.contains("180D") == true)
            try await sensor.stop()
        }

        @Test func `info lists all services and characteristics`() async throws {
            let sensor = try await Sensor()
            let info = try await bluejay("info", Lab.sensorAddress, "--json")
            for uuid in ["2A37", "2A38", "2A39", "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"] {
                #expect(info.transcript.contains(uuid), "\(uuid) in \(info.transcript)")
            }
            try await sensor.stop()
        }

        @Test func `info shows what the link has agreed on`() async throws {
            let sensor = try await Sensor()
            let info = try await bluejay("info", Lab.sensorAddress, "--json")
            let object = try #require(
                JSONSerialization.jsonObject(with: Data((info.lines.last ?? "").utf8)) as? [String: Any])
            #expect(object["addressType"] as? String == "public")
            let connection = try #require(object["connection"] as? [String: Any], "\(info.transcript)")
            let strength = try await Lab.here.linkStrength()
            #expect(connection["rssi"] as? Int == (strength == Lab.unknownStrength ? nil : strength))
            let interval = try #require(connection["intervalMs"] as? Double)
            let timeout = try #require(connection["supervisionTimeoutMs"] as? Double)
            let latency = try #require(connection["latency"] as? Int)
            // What is allowed (Core Specification, Vol 6, Part B, 4.5.1 and 4.5.2).
            #expect((7.5...4000).contains(interval) && (100...32000).contains(timeout))
            #expect(timeout > 2 * Double(1 + latency) * interval)
            #expect(connection["sendingPHY"] as? String == "1M" && connection["receivingPHY"] as? String == "1M")
            #expect(connection["encrypted"] as? Bool == false)
            let text = try await bluejay("info", Lab.sensorAddress).lines.dropFirst().first ?? ""
            #expect(text.hasPrefix("connection: ") && text.hasSuffix(", LE 1M PHY, not encrypted"), "\(text)")
            try await sensor.stop()
        }

        @Test func `read and write go by address and by name`() async throws {
            let sensor = try await Sensor()
            try await bluejay("write", "Dittojay", "180D/2A38", "hex:03")
            let read = try await bluejay("read", Lab.sensorAddress, "body-sensor-location", "--format", "u8")
            #expect(read.lines == ["3"])
            try await sensor.stop()
        }

        @Test func `an ATT error is exit status six`() async throws {
            let sensor = try await Sensor()
            let refused = try await bluejay(
                "write", "Dittojay", "2A39", "hex:07", "--json", expecting: 6)
            #expect(refused.transcript.contains("\"attError\":128"), "\(refused.transcript)")
            try await sensor.stop()
        }

        @Test func `what is not there has its exit status`() async throws {
            let sensor = try await Sensor()
            try await bluejay("read", "Nobody", "2A38", "--connect-timeout", "2", expecting: 3)
            try await bluejay("read", "Dittojay", "1809/2A1C", expecting: 7)
            try await bluejay("read", "Dittojay", "--adapter", "hci99", "2A38", expecting: 4)
            try await bluejay("write", "Dittojay", "2A38", "hex:0", expecting: 64)
            try await sensor.stop()
        }

        @Test func `listen prints each value and ends with the count`() async throws {
            let sensor = try await Sensor("--rate", "20")
            let listen = try await bluejay("listen", "Dittojay", "2A37", "--count", "10", "--raw", "--timeout", "60")
            #expect(listen.lines.count == 10)
            #expect(listen.lines.allSatisfy { $0.count >= 4 && $0.allSatisfy(\.isHexDigit) }, "\(listen.transcript)")
            try await sensor.stop()
        }

        @Test func `monitor shows rates and chirps and comes back after a loss`() async throws {
            let sensor = try await Sensor("--rate", "5")
            let monitor = try ChildProcess("bluejay", ["monitor", "--json", "--adapter", Lab.centralAdapter])
            try await monitor.line(containing: "\"rate\":")
            try await sensor.event(.subscribed) { $0.characteristic == "chirp" }
            try await sensor.command("chirp", "tweet")
            try await monitor.line(containing: "\"text\":\"tweet\"")
            let (seen, position) = (monitor.lines.count, sensor.position)
            try await sensor.command("disconnect")
            try await monitor.line(containing: "\"event\":\"disconnected\"", from: seen)
            try await sensor.event(.subscribed, from: position) { $0.characteristic == "heart-rate-measurement" }
            let after = monitor.lines.count
            try await monitor.line(containing: "\"rate\":", from: after)
            #expect(try await monitor.interrupt() == 0)
            try await sensor.event(.disconnected, from: position)
            try await sensor.stop()
        }

        @discardableResult
        private func bluejay(_ arguments: String..., expecting status: Int32 = 0) async throws -> ChildProcess {
            try await Lab.here.bluejay(arguments, expecting: status, within: .seconds(60))
        }
    }

    /// The program `dittojay`, as a script uses it.
    @Suite struct DittojayCommand {
        @Test func `it puts the alias back and leaves nothing registered`() async throws {
            let lab = try Lab.here
            let alias = try await lab.alias(of: Lab.sensorAdapter)
            let sensor = try await Sensor("--name", "Nightjar")
            #expect(try await lab.alias(of: Lab.sensorAdapter) == "Nightjar")
            #expect(try await lab.advertisements(on: Lab.sensorAdapter) == 1)
            try await sensor.stop(by: SIGTERM)
            #expect(try await lab.alias(of: Lab.sensorAdapter) == alias)
            #expect(try await lab.advertisements(on: Lab.sensorAdapter) == 0)
            #expect(!FileManager.default.fileExists(atPath: sensor.socket))
        }

        @Test func `without the adapter it says so and ends with four`() async throws {
            let process = try ChildProcess(
                "dittojay", ["--adapter", "hci99", "--socket", NSTemporaryDirectory() + "/x.sock"])
            #expect(try await process.exitStatus() == 4)
            #expect(process.transcript.contains("hci99"))
        }

        @Test func `without a bus it says so and ends with four`() async throws {
            let process = try ChildProcess(
                "dittojay", ["--socket", NSTemporaryDirectory() + "/y.sock"],
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"])
            #expect(try await process.exitStatus() == 4)
            #expect(process.transcript.contains("/nowhere/bus"))
        }

        @Test func `a second one at the same socket is refused`() async throws {
            let sensor = try await Sensor()
            let second = try ChildProcess("dittojay", ["--adapter", Lab.sensorAdapter, "--socket", sensor.socket])
            #expect(try await second.exitStatus() == 6)
            try await sensor.command("status")
            try await sensor.stop()
        }

        @Test func `status shows the central with its MTU`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            _ = try await central.listen(to: .chirp, on: sensor)
            let status = try await sensor.command("status", "--json")
            let line = try #require(status.lines.first)
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let centrals = try #require(object["centrals"] as? [[String: Any]])
            #expect(centrals.count == 1)
            #expect(centrals.first?["address"] as? String == Lab.centralAddress)
            #expect(centrals.first?["mtu"] as? Int == 517)
            #expect(centrals.first?["subscriptions"] as? [String] == ["chirp"])
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `the chirp service goes and comes with the link up`() async throws {
            let sensor = try await Sensor()
            let central = try await Central()
            try await central.connectToSensor()
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            try await sensor.command("service", "remove", "chirp")
            try await sensor.event(.serviceRemoved)
            try await sensor.command("service", "add", "chirp")
            _ = try await central.read(.sensorLocation, as: UInt8.self)
            #expect(central.observer.disconnections.values.isEmpty)
            try await central.disconnect()
            try await sensor.stop()
        }
    }
}
