import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// Programs that use Bluejay as its documentation does, in both language modes, with a peripheral for each.
    @Suite struct ReadmePrograms {
        @Test(arguments: FixtureProgram.languageModes)
        func `heart rate is listened to after a connection from a discovery`(mode: Int) async throws {
            let sensor = try await peripheral("--rate", "10")
            let program = try await run("heart-rate", mode)
            try expect(
                program,
                [
                    "found 1: ", "the scan has ended with 1 found", "connected to Dittojay", "worn at ", "1: ", "5: ",
                    "disconnected from Dittojay",
                ])
            let beats = program.lines.filter { $0.contains(" bpm, ") }
            #expect(beats.count == 5, "\(program.transcript)")
            let rates = beats.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
            #expect(rates.count == 5 && rates.allSatisfy { (30...250).contains($0) }, "\(program.transcript)")
            try await sensor.event(.unsubscribed)
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a value of several fields is written and read back`(mode: Int) async throws {
            let sensor = try await peripheral("--profile", FixtureProgram.file("readme/coffee.yaml"))
            let program = try await run("coffee", mode)
            #expect(
                program.lines == [
                    "connected", "ordered", "noted: medium, 180 ml, 935 tenths of a degree", "as ordered: true",
                    "brewed: 25 %", "brewed: 50 %", "brewed: 75 %", "brewed: 100 %", "left: disconnected",
                ], "\(program.transcript)")
            try await sensor.event(.written) { $0.value == Data([0x02, 0x00, 0xB4, 0xA7, 0x03, 0x00]) }
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a background task authenticates in two steps`(mode: Int) async throws {
            let sensor = try await peripheral("--profile", FixtureProgram.file("readme/unlock.yaml"))
            let program = try await run("unlock", mode)
            #expect(
                program.lines == ["busy", "flushed", "challenge: 12345678", "open: behind the mill"],
                "\(program.transcript)")
            let wrong = try await run("unlock", mode, "1", expecting: 2)
            #expect(wrong.lines.last == "shut: the lock does not take this key", "\(wrong.transcript)")
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a device is found by its serial number`(mode: Int) async throws {
            let sensor = try await peripheral("--profile", FixtureProgram.file("readme/serial-number.yaml"))
            let program = try await run("serial-number", mode, "M-0042")
            #expect(program.lines == ["scanning", "found M-0042", "reading: 123456"], "\(program.transcript)")
            let other = try await run("serial-number", mode, "M-0043", "5", expecting: 3)
            #expect(
                other.lines.filter { $0 != "known already" }
                    == ["scanning", "this is M-0042", "scanning", "there is no M-0043"],
                "\(other.transcript)")
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `an answer in pieces is assembled`(mode: Int) async throws {
            let sensor = try await peripheral("--profile", FixtureProgram.file("readme/download-log.yaml"))
            let program = try await run("download-log", mode)
            #expect(
                program.lines.filter { !$0.hasPrefix("one write holds") }
                    == ["connected: true", "0:00 -50", "23:00 180", "24 entries", "too much: true"],
                "\(program.transcript)")
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a background task ends a listen that its completion takes up again`(mode: Int) async throws {
            let sensor = try await peripheral("--rate", "10")
            let program = try await run("reset-energy", mode)
            try expect(
                program,
                [
                    "measurements before the reset", "refused: 128", "reset; worn at ", "listening: false",
                    "measurements after the reset",
                ])
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a program that is set up for restoration starts afresh`(mode: Int) async throws {
            let sensor = try await peripheral("--rate", "10")
            let program = try await run("restoration", mode)
            try expect(
                program,
                ["restoring: false, []", "enabled: true", "available: true", "connected", "listening"])
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a service that is removed and added again is reported to its observer`(mode: Int) async throws {
            let sensor = try await peripheral()
            let program = try start("service-observer", mode)
            try await sensor.event(.subscribed) { $0.characteristic == "chirp" }
            try await sensor.command("chirp", "tweet")
            try await program.line(containing: "heard tweet")
            try await sensor.command("service", "remove", "chirp")
            try await program.line(containing: "the chirp service was removed")
            let position = sensor.position
            try await sensor.command("service", "add", "chirp")
            try await program.line(containing: "a service was added")
            try await sensor.event(.subscribed, from: position) { $0.characteristic == "chirp" }
            try await sensor.command("chirp", "twitter")
            try await program.line(containing: "heard twitter")
            #expect(try await program.exitStatus() == 0, "\(program.transcript)")
            try expect(
                program,
                [
                    "connected", "heard tweet", "the chirp service was removed", "a service was added", "heard twitter",
                    "disconnected",
                ])
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a lost connection comes back and is reported to all observers`(mode: Int) async throws {
            let sensor = try await peripheral("--rate", "10")
            let program = try start("reconnect", mode)
            try await program.line(containing: "RSSI read, well")
            try await sensor.command("disconnect")
            #expect(try await program.exitStatus(within: .seconds(60)) == 0, "\(program.transcript)")
            try expect(
                program,
                [
                    "log: ", "available: true", "connected, 1", "measured, 1", "RSSI read, well",
                    "the listen has ended: ", "disconnected", "will reconnect: true", "connected, 2", "measured, 2",
                    "RSSI read, well", "the listen has ended: ", "disconnected", "will reconnect: false",
                ])
            try await sensor.stop()
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a connection of CoreBluetooth is handed over and taken back`(mode: Int) async throws {
            let sensor = try await peripheral()
            let program = try await run("handover", mode)
            try expect(
                program,
                [
                    "started: false, Unknown", "connected by CoreBluetooth: Connected", "handed over: true",
                    "worn at ", "taken back: Connected, false", "value: 1 byte", "disconnected: true",
                ])
            try await sensor.stop()
        }

        // MARK: Support

        /// bluetoothd keeps what it knows of a device's services, and here each peripheral has the same address.
        private func peripheral(_ options: String...) async throws -> Sensor {
            try await Lab.here.forget(Lab.sensorAddress, on: Lab.centralAdapter)
            try await Lab.here.forget(Lab.centralAddress, on: Lab.sensorAdapter)
            return try await Sensor(options)
        }

        private func start(_ name: String, _ mode: Int, _ arguments: String...) throws -> ChildProcess {
            try FixtureProgram.start(name, arguments, languageMode: mode, adapter: Lab.centralAdapter)
        }

        /// Runs a program to its end.
        private func run(
            _ name: String, _ mode: Int, _ arguments: String..., expecting status: Int32 = 0
        ) async throws -> ChildProcess {
            let program = try FixtureProgram.start(
                name, arguments, languageMode: mode, adapter: Lab.centralAdapter)
            let actual = try await program.exitStatus(within: .seconds(90))
            guard actual == status else {
                throw LabError("exit status \(actual), not \(status): \(program.transcript)")
            }
            return program
        }
    }
}
