import Bluejay
import BluetoothLab
import Foundation
import GATTProfiles
import TestSupport
import Testing

extension InTheLab {
    /// Scenarios that test a central, and what a person does to a peripheral by hand.
    @Suite struct ScenarioTests {
        /// A peripheral that plays the test of `uart-test.yaml`, and a central that has connected to it.
        private func withTest(
            _ body: (_ sensor: Sensor, _ central: Central) async throws -> Void
        ) async throws -> (status: Int32, report: String, lines: [String]) {
            try await Lab.here.forgetEachOther()
            let junit = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xml")
            defer { try? FileManager.default.removeItem(at: junit) }
            let sensor = try await Sensor(
                "--profile", Lab.profile("uart"), "--scenario", Lab.profile("uart-test"), "--junit", junit.path)
            let central = try await Central()
            try await central.stayAway()
            try await central.connect(central.find(Uart.service.uuid.uuidString).peripheralIdentifier)
            try await body(sensor, central)
            do { try await central.disconnect() } catch BluejayError.notConnected {}  // the sensor has ended
            let status = try await sensor.process.exitStatus(within: .seconds(60))
            return (status, try String(contentsOf: junit, encoding: .utf8), sensor.process.lines)
        }

        @Test func `a central that does what is expected passes`() async throws {
            let outcome = try await withTest { sensor, central in
                let answers = try await central.listen(to: Uart.tx, on: sensor)
                for request in ["PING", "SET x=1", "LIST"] { try await central.write(Data(request.utf8), to: Uart.rx) }
                // PONG, OK, four pieces of the list, and STOP.
                let received = try await answers.values(7).map { try $0.get() }
                #expect(received.contains(Data("STOP".utf8)))
            }
            #expect(outcome.status == 0, "\(outcome.lines.joined(separator: "\n"))")
            #expect(outcome.report.contains(#"tests="6" failures="0" errors="0" skipped="0""#))
            #expect(outcome.lines.contains { $0.contains(#""message":"passed: 6 of 6 expectations met""#) })
        }

        @Test func `a central that goes on when it was told to stop fails, and the report says how`() async throws {
            let outcome = try await withTest { sensor, central in
                _ = try await central.listen(to: Uart.tx, on: sensor)
                for request in ["PING", "LIST"] { try await central.write(Data(request.utf8), to: Uart.rx) }
                // The sensor ends with the first of these, and with it the link, perhaps before an answer.
                for request in ["SET y=2", "PING"] { try? await central.write(Data(request.utf8), to: Uart.rx) }
            }
            #expect(outcome.status == 9)
            let text = outcome.lines.joined(separator: "\n")
            #expect(text.contains("FAILED: is quiet when it was told to stop"))
            #expect(text.contains("there was a write"))
            #expect(text.contains("* expects is quiet when it was told to stop"))
            #expect(outcome.report.contains(#"tests="6" failures="1" errors="0" skipped="1""#))
        }

        @Test func `a scenario plays each step and each fault`() async throws {
            try await Lab.here.forgetEachOther()
            let junit = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xml")
            defer { try? FileManager.default.removeItem(at: junit) }
            let sensor = try await Sensor(
                "--profile", Lab.profile("every-step"), "--seed", "5", "--junit", junit.path)
            let central = try await Central()
            let obedient = try await ObedientCentral(central)
            try await central.connect(central.find(Trial.service.uuid.uuidString).peripheralIdentifier)
            let status = try await sensor.process.exitStatus(within: .seconds(240))
            let notes = obedient.notes.values
            let story = (sensor.process.lines + notes).joined(separator: "\n")
            #expect(status == 0, "\(story)")
            let report = try String(contentsOf: junit, encoding: .utf8)
            #expect(report.contains(#"failures="0" errors="0" skipped="0""#), "\(report)")
            #expect(!sensor.events.contains { $0.kind == .failed }, "\(story)")
            // The burst is no order, and each of its values arrives.
            #expect(notes.count { $0.hasPrefix("not understood: ") } == 20, "\(story)")

            let data = notes.filter { $0.hasPrefix("data ") }.map { $0.dropFirst(5) }
            // The first is lost, the second comes twice, one is cut off, one filled up, and one late.
            #expect(data.prefix(6) == ["0202", "0202", "03", "04040000", "0606", "0505"], "\(story)")
            // About half of eight are lost, which ones follows from the seed; then ten come at once.
            let lost = 8 - data.dropFirst(6).count { $0.hasPrefix("0") }
            #expect((1...7).contains(lost), "\(story)")
            #expect(data.suffix(10) == Array(repeating: "f0", count: 10)[...], "\(story)")
        }

        @Test func `what goes wrong with values by chance is the same for the same seed`() async throws {
            func run() async throws -> [String] {
                let sensor = try await Sensor("--profile", "lab", "--seed", "11")
                let central = try await Central()
                try await central.connectToSensor()
                let chirps = try await central.listen(to: .chirp, on: sensor)
                for fault in [["30", "--resize", "1"], ["50", "--duplicate"], ["40", "--drop"]] {
                    _ = try await sensor.client(["fault", "add", "chirp", "notify", "--chance"] + fault)
                        .exitStatus()
                }
                for number in 0..<20 { try await sensor.command("chirp", "u8:\(number) 0xFF") }
                try await sensor.command("fault", "clear")
                try await sensor.command("chirp", "text:end")
                var values: [String] = []
                while values.last != ValueText.hex(Array("end".utf8)) {
                    values.append(ValueText.hex(try await chirps.values(values.count + 1)[values.count].get()))
                }
                try await central.disconnect()
                try await sensor.stop()
                return values
            }
            let first = try await run()
            #expect(first.contains { $0.count == 2 }, "\(first)")
            #expect(zip(first, first.dropFirst()).contains { $0 == $1 }, "\(first)")
            #expect(Set(first).count < 21, "\(first)")
            #expect(try await run() == first)
        }

        /// bluetoothd takes 2 s and more to end a link.
        @Test func `a scenario drops links as soon as they are up, and goes on`() async throws {
            try await Lab.here.forgetEachOther()
            let scenario = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml")
            defer { try? FileManager.default.removeItem(at: scenario) }
            try """
            - repeat: {times: 2, steps: [wait-for: connected, disconnect, wait-for: disconnected]}
            - quit
            """.write(to: scenario, atomically: true, encoding: .utf8)
            let sensor = try await Sensor("--scenario", scenario.path)
            let monitor = try ChildProcess("bluejay", ["monitor", "Dittojay", "--adapter", Lab.centralAdapter])
            #expect(try await sensor.process.exitStatus(within: .seconds(60)) == 0)
            _ = try await monitor.interrupt()
            let links = sensor.events.filter { $0.kind == .connected || $0.kind == .disconnected }
            // The monitor may connect once more before the sensor has ended.
            #expect(links.prefix(4).map(\.kind) == [.connected, .disconnected, .connected, .disconnected])
            let times = try links.map { try #require($0.time) }
            for (begin, end) in [(0, 1), (2, 3)] {
                #expect(.seconds(times[end].timeIntervalSince(times[begin])) < timeLimit(1))
            }
            try await Lab.here.forgetEachOther()
        }

        @Test func `it cannot be found while it does not advertise, or its controller is off`() async throws {
            let sensor = try await Sensor()
            let find = { (status: Int32) in
                _ = try await Lab.here.bluejay(
                    "scan", "--service", "180D", "--count", "1", "--timeout", status == 0 ? "20" : "3",
                    expecting: status)
            }
            try await find(0)
            try await sensor.command("advertise", "off")
            try await sensor.command("advertise", "off", expecting: 8)
            try await find(3)
            try await sensor.command("advertise", "on")
            try await find(0)
            try await sensor.command("power", "off")
            try await find(3)
            try await sensor.command("advertise", "on", expecting: 8)
            let position = sensor.position
            try await sensor.command("power", "on")
            try await sensor.event(.advertising, from: position)
            try await find(0)
            // It leaves the controller as it was.
            try await sensor.command("power", "off")
            try await sensor.stop()
            #expect(try await Lab.here.isPowered(Lab.sensorAdapter))
        }
    }
}
