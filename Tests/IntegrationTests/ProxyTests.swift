import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension AmongMany {
    /// A sensor, a proxy in front of it, and centrals.
    @Suite struct Proxies {
        private func bluejay(_ arguments: String..., status: Int32 = 0) async throws -> [String] {
            try await Lab.here.bluejay(arguments, expecting: status).lines
        }

        private func listen(_ characteristic: String, by controller: Int, _ options: String...) throws -> ChildProcess {
            try ChildProcess(
                "bluejay",
                ["listen", Proxy.address, characteristic, "--adapter", "hci\(controller)", "--raw"] + options)
        }

        private func withProxy(
            _ options: String..., profile: String = "lab", body: (Sensor, Proxy) async throws -> Void
        ) async throws {
            try await Lab.here.reset()
            let sensor = try await Sensor("--profile", profile)
            let proxy: Proxy
            switch options.count {
            case 0: proxy = try await Proxy()
            case 2: proxy = try await Proxy(options[0], options[1])
            default: proxy = try await Proxy(options[0], options[1], options[2], options[3])
            }
            try await body(sensor, proxy)
            try await proxy.stop()
            try await sensor.stop()
        }

        @Test func `requests, answers and errors pass both ways, and a record has them`() async throws {
            let record = NSTemporaryDirectory() + "/\(UUID()).jsonl"
            defer { try? FileManager.default.removeItem(atPath: record) }
            try await withProxy("--record", record) { sensor, proxy in
                #expect(try await bluejay("read", Proxy.address, "180D/2A38", "--format", "u8") == ["1"])
                _ = try await bluejay("write", Proxy.address, "180D/2A38", "u8:3")
                try await sensor.event(.written) { $0.value == Data([3]) }
                _ = try await bluejay("write", Proxy.address, "180D/2A39", "u8:7", status: 6)
                let long = String(repeating: "ab", count: 300)
                _ = try await bluejay("write", Proxy.address, LabService.store, "hex:\(long)")
                #expect(try await bluejay("read", Proxy.address, LabService.store, "--format", "hex") == [long])
                let values = try listen("2A37", by: 1, "--count", "3")
                #expect(try await values.exitStatus() == 0 && values.lines.count == 3)
                try await proxy.event(.unsubscribed)
                // A central keeps its link until it leaves; the device's is the proxy's.
                #expect(!sensor.events.contains { $0.kind == .disconnected })
            }
            let lines = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
            func recorded(_ event: String, _ parts: String...) -> Bool {
                lines.contains { line in
                    line.contains("\"event\":\"\(event)\"") && line.contains(Lab.centralAddress)
                        && line.contains("\"deviceSeconds\":") && line.contains("\"direction\":\"to-device\"")
                        && parts.allSatisfy(line.contains)
                }
            }
            #expect(recorded("read", "\"characteristic\":\"body-sensor-location\"", "\"value\":\"01\""))
            #expect(recorded("written", "\"value\":\"03\""))
            #expect(recorded("written", "\"value\":\"07\"", "\"attError\":128"))
            #expect(recorded("subscribed", "\"characteristic\":\"heart-rate-measurement\""))
            #expect(lines.contains { $0.contains("\"notified\"") && $0.contains("\"direction\":\"from-device\"") })
        }

        @Test func `it advertises and offers what the device does`() async throws {
            let (direct, proxied) = (NSTemporaryDirectory() + "/direct.yaml", NSTemporaryDirectory() + "/proxied.yaml")
            // bluetoothd may subscribe to the battery's level itself (5.82), which must not make it another one.
            let counting = try String(contentsOfFile: Lab.profile("thermometer"), encoding: .utf8)
            let steady = counting.replacingOccurrences(
                of: "counter: {type: u8, from: 100, step: -1}", with: "values: [\"u8:100\"]")
            #expect(steady != counting)
            let profile = NSTemporaryDirectory() + "/steady.yaml"
            try steady.write(toFile: profile, atomically: true, encoding: .utf8)
            try await Lab.here.reset()
            let sensor = try await Sensor("--profile", profile)
            _ = try await bluejay("clone", Lab.sensorAddress, "--output", direct, "--force")
            let proxy = try await Proxy()
            _ = try await bluejay("clone", Proxy.address, "--output", proxied, "--force")
            try await proxy.stop()
            try await sensor.stop()
            let texts = try [direct, proxied].map { try String(contentsOfFile: $0, encoding: .utf8) }
            // What needs pairing at the device is read by a proxy that is paired.
            #expect(texts[0].replacingOccurrences(of: "        encrypted: [read]\n", with: "") == texts[1])
        }

        @Test func `several centrals share one subscription of the device`() async throws {
            try await withProxy { sensor, proxy in
                let first = try listen("2A37", by: 1)
                try await sensor.event(.subscribed)
                let second = try listen("2A37", by: 4)
                try await first.line(containing: "6", within: .seconds(30))
                try await second.line(containing: "6", within: .seconds(30))
                _ = try await first.interrupt()
                try await proxy.event(.disconnected) { $0.central == Lab.centralAddress }
                let seen = second.lines.count
                try await second.line(containing: "6", from: seen + 2, within: .seconds(30))
                #expect(!sensor.events.contains { $0.kind == .unsubscribed })
                _ = try await second.interrupt()
                try await sensor.event(.unsubscribed)
                #expect(sensor.events.count { $0.kind == .subscribed } == 1)
            }
        }

        @Test func `when the device is lost so are the centrals, until it is back`() async throws {
            try await withProxy { sensor, proxy in
                let monitor = try listen("2A37", by: 1)
                try await monitor.line(containing: "6", within: .seconds(30))
                let start = proxy.position
                try await sensor.command("disconnect")
                try await proxy.event(.deviceDisconnected, from: start) { $0.device == Lab.sensorAddress }
                try await proxy.event(.advertisingStopped, from: start)
                try await proxy.event(.disconnected, from: start) { $0.central == Lab.centralAddress }
                #expect(try await monitor.exitStatus() == 5, "\(monitor.transcript)")
                try await proxy.event(.deviceConnected, from: start)
                try await proxy.event(.advertising, from: start)
                #expect(try await bluejay("read", Proxy.address, "2A38", "--format", "u8") == ["1"])
            }
        }

        /// bluetoothd answers what dittojay has left open, with 0x0E, before it ends a link.
        @Test func `a request by which the device ends the link ends the central's`() async throws {
            try await withProxy(profile: Lab.profile("faulty")) { _, proxy in
                let leaving = Faulty.leavingOnRead.uuid.uuidString
                let start = proxy.position
                _ = try await bluejay("read", Proxy.address, leaving, status: 5)
                // The device drops the link at once, without an answer, and so does the proxy.
                try await proxy.event(.read, from: start) {
                    $0.message?.contains("not answered: the link to the device was lost") == true
                }
                try await proxy.event(.deviceDisconnected, from: start)
                try await proxy.event(.disconnected, from: start) { $0.central == Lab.centralAddress }
                try await proxy.event(.advertising, from: start)
                #expect(try await bluejay("read", Proxy.address, leaving, "--format", "text") == ["back"])
            }
        }

        @Test func `changes of the device's services are followed`() async throws {
            try await withProxy { sensor, proxy in
                let monitor = try listen("2A37", by: 1)
                try await monitor.line(containing: "6", within: .seconds(30))
                try await sensor.command("service", "remove", "chirp")
                try await proxy.event(.serviceRemoved) { $0.service == "chirp-service" }
                let start = proxy.position
                try await sensor.command("service", "add", "chirp")
                try await proxy.event(.serviceAdded, from: start) { $0.service == "chirp-service" }
                // The link, and the subscription of another service, have taken no notice.
                let seen = monitor.lines.count
                try await monitor.line(containing: "6", from: seen + 2, within: .seconds(30))
                _ = try await monitor.interrupt()
                let chirps = try listen(ChirpService.chirp, by: 1, "--count", "1")
                try await sensor.event(.subscribed) { $0.characteristic == "chirp" }
                try await sensor.command("chirp", "tweet")
                #expect(try await chirps.exitStatus() == 0)
                #expect(chirps.lines == ["7477656574"])
            }
        }

        @Test func `values are replaced and faults break what passes`() async throws {
            try await withProxy("--replace", "body-sensor-location=u8:5", "--replace-writes", "store=text:other") {
                sensor, proxy in
                #expect(try await bluejay("read", Proxy.address, "2A38", "--format", "u8") == ["5"])
                try await proxy.event(.read) { $0.value == Data([5]) && $0.original == Data([1]) }
                _ = try await bluejay("write", Proxy.address, LabService.store, "text:mine")
                try await sensor.event(.written) { $0.value == Data("other".utf8) }
                try await proxy.command("set", "body-sensor-location", "u8:6")
                #expect(try await bluejay("read", Proxy.address, "2A38", "--format", "u8") == ["6"])
                try await proxy.command(
                    "fault", "add", "body-sensor-location", "read", "--error", "0x85", "--times", "1")
                let reads = sensor.events.count { $0.kind == .read }
                _ = try await bluejay("read", Proxy.address, "2A38", status: 6)
                #expect(sensor.events.count { $0.kind == .read } == reads, "not passed on")
                let status = try await proxy.command("status", "--json")
                let device =
                    "\"device\":{\"name\":\"Dittojay\",\"address\":\"\(Lab.sensorAddress)\",\"adapter\":\"hci2\",\"isConnected\":true}"
                #expect(status.transcript.contains(device), "\(status.transcript)")
            }
        }

        /// ATT has one request at a time: another central's waits. What the device sends by itself does not.
        @Test func `a slow answer holds up neither values nor what the proxy answers itself`() async throws {
            try await withProxy { sensor, proxy in
                // With what it takes to pass it on, this is within the 5 s after which bluetoothd answers.
                try await sensor.command("fault", "add", "store", "read", "--delay", "2")
                try await proxy.command("fault", "add", "body-sensor-location", "read", "--error", "0x85")
                let values = try listen("2A37", by: 4)
                try await values.line(containing: "6", within: .seconds(30))
                // It keeps the link of the quick central, which would take longer to connect than to read.
                let link = try listen("2A37", by: 5)
                try await link.line(containing: "6", within: .seconds(30))
                let slow = try ChildProcess("bluejay", ["read", Proxy.address, LabService.store, "--adapter", "hci1"])
                try await sensor.event(.fault) { $0.message?.contains("delay") == true }
                let seen = values.lines.count
                _ = try await Lab.here.bluejay(["read", Proxy.address, "2A38", "--adapter", "hci5"], expecting: 6)
                #expect(slow.isRunning, "the device has answered too soon for the test")
                try await values.line(containing: "6", from: seen + 1, within: .seconds(30))
                #expect(try await slow.exitStatus() == 0)
                _ = try await link.interrupt()
                _ = try await values.interrupt()
            }
        }

        @Test func `it ends both its links in order`() async throws {
            try await withProxy { sensor, proxy in
                let values = try listen("2A37", by: 1)
                try await values.line(containing: "6", within: .seconds(30))
                try await proxy.stop()
                #expect(proxy.events.contains { $0.kind == .disconnected })
                #expect(!proxy.process.transcript.contains("bluetoothd does not answer"))
                try await sensor.event(.disconnected, within: .seconds(5))
                #expect(try await values.exitStatus() == 5)
            }
        }

        @Test func `what the device does not have is wrong usage`() async throws {
            try await Lab.here.reset()
            let sensor = try await Sensor()
            let wrong = try ChildProcess(
                "dittojay",
                [
                    "proxy", Lab.sensorAddress, "--device-adapter", "hci2", "--adapter", "hci3", "--no-socket",
                    "--replace", "glucose-measurement=u8:1", "--connect-timeout", "60",
                ])
            #expect(try await wrong.exitStatus(within: .seconds(60)) == 64)
            #expect(wrong.transcript.contains("unknown characteristic \"glucose-measurement\""), "\(wrong.transcript)")
            let absent = try ChildProcess(
                "dittojay",
                [
                    "proxy", "Nobody", "--device-adapter", "hci2", "--adapter", "hci3", "--no-socket",
                    "--connect-timeout", "2",
                ])
            #expect(try await absent.exitStatus(within: .seconds(60)) == 3)
            let same = try ChildProcess(
                "dittojay", ["proxy", "Nobody", "--device-adapter", "hci2", "--adapter", "hci2", "--no-socket"])
            #expect(try await same.exitStatus(within: .seconds(60)) == 4)
            #expect(same.transcript.contains("must differ"))
            try await sensor.stop()
        }
    }
}
