import BlueZ
import BluetoothLab
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// dittojay's standard profiles, as other programs see them.
    @Suite struct StandardProfiles {
        /// A profile, and what is listened to in it: an advertised service, and a characteristic.
        struct Measured: Swift.Sendable, CustomStringConvertible {
            let name: String
            let service: String
            let measurement: String
            /// A field of the value's meaning.
            let field: String

            init(_ name: String, _ service: String, _ measurement: String, _ field: String) {
                (self.name, self.service, self.measurement, self.field) = (name, service, measurement, field)
            }

            var description: String { name }
        }

        static let measured = [
            Measured("battery", "180F", "2A19", "battery-level"),
            Measured("health-thermometer", "1809", "2A1C", "temperature"),
            Measured("blood-pressure", "1810", "2A35", "systolic"),
            Measured("cycling-speed-and-cadence", "1816", "2A5B", "wheel-revolutions"),
            Measured("cycling-power", "1818", "2A63", "power"),
            Measured("running-speed-and-cadence", "1814", "2A53", "instantaneous-cadence"),
            Measured("fitness-machine", "1826", "2AD2", "instantaneous-power"),
            Measured("environmental-sensing", "181A", "2A6E", "temperature"),
            Measured("pulse-oximeter", "1822", "2A5F", "spo2"),
            Measured("weight-scale", "181D", "2A9D", "weight"),
            Measured("current-time", "1805", "2A2B", "date-and-time"),
        ]
        private static let others = [
            "device-information", "glucose", "user-data", "find-me", "proximity", "nordic-uart", "keyboard",
        ]

        // MARK: All profiles

        @Test(arguments: cases(others + measured.map(\.name), few: 5))
        func `a profile is found with all that it should have`(name: String) async throws {
            try await with(name) { _ in
                let check = try ChildProcess("dittojay", ["check", name, "--json"])
                #expect(try await check.exitStatus() == 0)
                let expected = try services(check)
                let info = try await Lab.here.bluejay("info", Lab.sensorAddress, "--json")
                var found: [String: Set<String>] = [:]
                // bluetoothd has a Device Information of its own besides.
                for (uuid, characteristics) in try services(info) {
                    found[uuid, default: []].formUnion(characteristics)
                }
                let hidden: Set<String> = try await showsKeyboards() ? [] : ["1812"]
                for (uuid, characteristics) in expected where !hidden.contains(uuid) {
                    #expect(characteristics.isSubset(of: found[uuid] ?? []), "\(uuid) in \(info.transcript)")
                }
                #expect(hidden.isDisjoint(with: found.keys))
            }
        }

        private func services(_ process: ChildProcess) throws -> [(String, Set<String>)] {
            let line = try #require(process.lines.first { $0.contains("\"services\"") }, "\(process.transcript)")
            let services = try object(line)["services"] as? [[String: Any]] ?? []
            return services.map { service in
                let characteristics = service["characteristics"] as? [[String: Any]] ?? []
                return (service["uuid"] as? String ?? "", Set(characteristics.compactMap { $0["uuid"] as? String }))
            }
        }

        @Test(arguments: cases(measured, few: 4))
        func `monitor finds a profile and shows what it measures`(profile: Measured) async throws {
            try await with(profile.name) { _ in
                let monitor = try await Lab.here.bluejay(
                    "monitor", "--profile", profile.name, "--count", "1", "--json", "--timeout", "60")
                let line = try #require(
                    monitor.lines.first { $0.contains("\"measurement\"") }, "\(monitor.transcript)")
                let decoded = try object(line)["decoded"] as? [String: Any] ?? [:]
                #expect(decoded[profile.field] != nil, "\(monitor.transcript)")
            }
        }

        @Test func `monitor shows whatever a device measures`() async throws {
            try await with("cycling-power") { _ in
                let monitor = try await Lab.here.bluejay("monitor", Lab.sensorAddress, "--count", "3", "--json")
                let events = monitor.lines.filter { $0.contains("\"measurement\"") }
                #expect(events.contains { $0.contains("cycling-power-measurement") }, "\(monitor.transcript)")
            }
        }

        @Test(arguments: cases(measured, few: 2))
        func `bleak reads and listens to a profile`(profile: Measured) async throws {
            try await with(profile.name) { _ in
                try await knowServices()
                let bleak = try bleak("services", "listen:\(profile.measurement)")
                #expect(try await bleak.exitStatus(within: .seconds(120)) == 0, "\(bleak.transcript)")
                #expect(bleak.transcript.contains("0000\(profile.service.lowercased())-0000-1000-8000-00805f9b34fb"))
                #expect(bleak.lines.contains { $0.contains("\"notify\"") })
            }
        }

        // MARK: Control points

        @Test func `monitor asks a glucose meter for its records`() async throws {
            try await with("glucose") { sensor in
                let monitor = try await Lab.here.bluejay("monitor", Lab.sensorAddress, "--count", "12", "--json")
                let records = monitor.lines.filter { $0.contains("\"glucose-measurement\"") }
                let numbers = try records.compactMap { line -> Int? in
                    let decoded = try object(line)["decoded"] as? [String: [String: Any]]
                    return decoded?["sequence-number"]?["value"] as? Int
                }
                #expect(numbers.first == 1 && numbers == numbers.sorted(), "\(monitor.transcript)")
                try await sensor.event(.written) { $0.value == Data([1, 1]) }
            }
        }

        @Test func `a glucose meter reports its records, and the end of them`() async throws {
            try await with("glucose") { sensor in
                let meter = try ChildProcess(
                    "bluejay",
                    ["monitor", "--profile", "glucose", "--json", "--timeout", "60", "--adapter", Lab.centralAdapter])
                try await meter.line(containing: "\"response\"", within: .seconds(60))
                // All of the records came before it.
                let lines = meter.lines
                let end = try #require(lines.firstIndex { $0.contains("\"response\"") })
                #expect(lines[end].contains("\"06000101\""), "\(meter.transcript)")
                let records = lines.indices.filter { lines[$0].contains("\"glucose-measurement\"") }
                #expect(records.count == 12 && (records.last ?? end) < end, "\(meter.transcript)")
                #expect(try await meter.interrupt() == 0)
                try await sensor.event(.sent) { $0.value == Data([6, 0, 1, 1]) }
            }
        }

        /// The ATT errors of the services that came first are passed on by bluetoothd; 0xFD of the later ones becomes
        /// 0x0E.
        @Test(arguments: [
            ("glucose", "1808/2A52", "0101", "0x81", "0x81"),
            ("cycling-speed-and-cadence", "1816/2A55", "04", "0x81", "0x81"),
            ("cycling-power", "1818/2A66", "03", "0x0E", "0xFD"),
            ("fitness-machine", "1826/2AD9", "00", "0x0E", "0xFD"),
            ("user-data", "181C/2A9F", "0200d204", "0x0E", "0xFD"), ("user-data", "181C/2A80", "2a", "0x80", "0x80"),
        ])
        func `a control point refuses what is written without indications`(
            name: String, path: String, request: String, seen: String, sent: String
        ) async throws {
            try await with(name) { sensor in
                let write = try await Lab.here.bluejay(
                    "write", Lab.sensorAddress, path, "hex:\(request)", expecting: 6)
                #expect(write.transcript.contains("ATT error \(seen)"), "\(write.transcript)")
                let error = Int(sent.dropFirst(2), radix: 16)
                try await sensor.event(.written) { $0.attError == error }
            }
        }

        @Test func `a fitness machine is controlled`() async throws {
            try await with("fitness-machine") { _ in
                try await knowServices()
                let bleak = try bleak("listen:2AD9@2AD9=00", "listen:2AD9@2AD9=00")
                #expect(try await bleak.exitStatus(within: .seconds(120)) == 0, "\(bleak.transcript)")
                #expect(bleak.lines.count { $0.contains("\"notify\"") && $0.contains("\"800001\"") } == 2)
            }
        }

        @Test func `what is written to the serial line comes back`() async throws {
            try await with("nordic-uart") { _ in
                try await knowServices()
                let (rx, tx) = (
                    "6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
                )
                let bleak = try bleak("listen:\(tx)@\(rx)=48656c6c6f")
                #expect(try await bleak.exitStatus(within: .seconds(120)) == 0, "\(bleak.transcript)")
                #expect(bleak.lines.contains { $0.contains("\"notify\"") && $0.contains("\"48656c6c6f\"") })
            }
        }

        /// The central's bluetoothd makes an input device of it: it reads the report map, and subscribes.
        @Test func `the system takes a keyboard for itself`() async throws {
            try await with("keyboard") { sensor in
                let info = try await Lab.here.bluejay("info", Lab.sensorAddress, "--values")
                let isShown = try await showsKeyboards()
                #expect(info.transcript.contains("Human Interface Device") == isShown)
                try await sensor.event(.read) { $0.characteristic == "hid-information" }
                guard isShown else { return }
                let listen = try await Lab.here.bluejay("listen", Lab.sensorAddress, "2A4D", "--count", "2")
                #expect(listen.transcript.contains("report 0000"), "\(listen.transcript)")
            }
        }

        /// A keyboard is the system's: bluetoothd uses it itself. 5.66 shows it to no program, 5.82 to read
        /// and listen to it.
        private func showsKeyboards() async throws -> Bool { try await Lab.here.bluezVersion() >= BlueZVersion(5, 82) }

        // MARK: Files and beacons

        @Test func `a file has standard services beside others`() async throws {
            try await with(Lab.profile("standard")) { _ in
                let monitor = try await Lab.here.bluejay("monitor", "Bicycle", "--count", "4", "--json")
                for name in ["cycling-power-measurement", "csc-measurement"] {
                    #expect(monitor.lines.contains { $0.contains("\"\(name)\"") }, "\(monitor.transcript)")
                }
                let read = try await Lab.here.bluejay(
                    "read", "Bicycle", "F2000001-0000-4000-8000-000000000000", "--format", "u8")
                #expect(read.lines == ["0"])
            }
        }

        @Test func `scan names an iBeacon`() async throws {
            try await with("ibeacon") { _ in
                let scan = try await Lab.here.bluejay("scan", "--json", "--count", "1", "--timeout", "30")
                let beacon = try object(try #require(scan.lines.last))["beacon"] as? [String: Any]
                #expect(beacon?["type"] as? String == "ibeacon", "\(scan.transcript)")
                #expect(beacon?["minor"] as? Int == 2)
            }
        }

        @Test func `scan names the frames of an Eddystone beacon, which take turns`() async throws {
            try await with("eddystone") { _ in
                let scan = try ChildProcess(
                    "bluejay", ["scan", "--duplicates", "--timeout", "0", "--adapter", Lab.centralAdapter])
                for name in ["eddystone-uid", "eddystone-url https://example.com/", "eddystone-tlm"] {
                    try await scan.line(containing: name, within: .seconds(60))
                }
                _ = try await scan.interrupt()
            }
        }

        // MARK: Programs

        private func with(_ name: String, body: (Sensor) async throws -> Void) async throws {
            try await Lab.here.forgetEachOther()
            try await withSensor("--profile", name, "--seed", "1", body: body)
        }

        /// Has the central's bluetoothd discover the device's services. At the first connection 5.66 may report them as
        /// resolved before it shows them, and bleak then finds none.
        private func knowServices() async throws { try await Lab.here.bluejay("info", Lab.sensorAddress) }

        private func bleak(_ steps: String...) throws -> ChildProcess {
            try Lab.peer("bleak_central.py", ["--adapter", Lab.centralAdapter, "run", Lab.sensorAddress] + steps)
        }
    }
}
