import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension AmongMany {
    /// Many peripherals in one process: as many as the lab has controllers, but for the central's. With `./lab test
    /// --controllers 101` they are a hundred.
    @Suite struct OneProcess {
        private static let central = "hci1"
        private static let values = 100

        @Test func `peripherals of one process are all found, and those that notify lose nothing`() async throws {
            let count = try Lab.here.controllers.count - 1
            let notifying = min(count, 10)
            try await withGroup(count) { sensors in
                // As they are found by a scan: each advertises a name of its own.
                let scan = try ChildProcess(
                    "bluejay", ["scan", "--adapter", Self.central, "--service", "180D", "--count", "\(count)"])
                #expect(try await scan.exitStatus(within: .seconds(120)) == 0, "\(scan.transcript)")
                let names = Set(sensors.map(\.name))
                #expect(names.count == count)
                #expect(names.allSatisfy { name in scan.lines.contains { $0.contains("\"\(name)\"") } })

                // Some of all parts of the group.
                let chosen = (0..<notifying).map { sensors[$0 * count / notifying] }
                let listens = try chosen.map { sensor in
                    try ChildProcess(
                        "bluejay",
                        [
                            "listen", sensor.name, ChirpService.chirp, "--adapter", Self.central, "--format", "hex",
                            "--connect-timeout", "120",
                        ])
                }
                do {
                    try await sensors.event(.subscribed, count: notifying)
                } catch {
                    throw LabError("\(error)\n" + listens.map(\.transcript).joined(separator: "\n"))
                }
                let bursts = try chosen.map { sensor in
                    try sensors.client(
                        "burst", "--count", "\(Self.values)", "--size", "4", "--rate", "20", "--peripheral", sensor.id)
                }
                for burst in bursts {
                    #expect(try await burst.exitStatus(within: .seconds(120)) == 0, "\(burst.transcript)")
                }
                let numbers = (0..<Self.values).map { String(format: "%02x000000", $0) }
                for listen in listens {
                    try await listen.line(containing: numbers[Self.values - 1], within: .seconds(60))
                    _ = try await listen.interrupt()
                    // Behind the time and the name.
                    #expect(listen.lines.compactMap { $0.split(separator: " ").last.map(String.init) } == numbers)
                }
            }
        }

        @Test func `one is switched off and on, and one ends, and the others go on`() async throws {
            try await withGroup(4) { sensors in
                let (off, ended, other) = (sensors[0], sensors[1], sensors[2])
                try await sensors.command("quit", "--peripheral", ended.id)
                try await sensors.event(.ended, of: ended)
                try await sensors.command("power", "off", "--peripheral", off.id)
                try await sensors.event(.state, of: off)
                let listen = try ChildProcess(
                    "bluejay",
                    ["listen", other.name, ChirpService.chirp, "--adapter", Self.central, "--format", "hex"])
                try await sensors.event(.subscribed, of: other)
                try await sensors.command("chirp", "hex:0a0b", "--peripheral", other.id)
                try await listen.line(containing: "0a0b", within: .seconds(60))
                _ = try await listen.interrupt()
                let position = sensors.position
                try await sensors.command("power", "on", "--peripheral", off.id)
                try await sensors.event(.advertising, of: off, from: position)
            }
        }

        /// Runs `body` with so many peripherals that advertise.
        private func withGroup(_ count: Int, _ body: (SensorGroup) async throws -> Void) async throws {
            try await Lab.here.reset()
            let group = try await SensorGroup(count, central: Self.central)
            try await body(group)
            try await group.command("quit")
            #expect(try await group.process.exitStatus(within: .seconds(60)) == 0)
        }
    }
}
