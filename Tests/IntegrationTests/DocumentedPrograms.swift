import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// The programs that `docs/library.md` and the article on Swift 6 print, as their readers run them: through a pipe.
    @Suite struct DocumentedPrograms {
        @Test(arguments: FixtureProgram.languageModes)
        func `the guide's central shows each heart rate at once`(mode: Int) async throws {
            let sensor = try await sensor()
            let program = try start("watch", mode, on: Lab.centralAdapter)
            try await program.line(containing: "connected to Dittojay", within: .seconds(60))
            try await program.line(containing: " bpm")
            try await program.line(containing: " bpm", from: program.lines.count)
            try await end(program, and: sensor)
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `the guide's peripheral advertises a battery`(mode: Int) async throws {
            let program = try start("battery", mode, on: Lab.sensorAdapter)
            try await program.line(containing: "advertising", within: .seconds(60))
            let read = try await Lab.here.bluejay("read", "Battery", "180F/2A19", "--format", "u8")
            #expect(read.lines == ["83"])
            _ = try await program.interrupt()
        }

        @Test func `an observer on the main actor is called there`() async throws {
            let sensor = try await sensor()
            let program = try start("monitor", 6, on: Lab.centralAdapter)
            try await program.line(containing: "3 measured", within: .seconds(60))
            try await sensor.command("disconnect")
            try await program.line(containing: "disconnected")
            try await end(program, and: sensor)
        }

        @Test func `an actor records what is measured`() async throws {
            let sensor = try await sensor()
            let program = try start("recorder", 6, on: Lab.centralAdapter)
            #expect(try await program.exitStatus(within: .seconds(90)) == 0, "\(program.transcript)")
            #expect(program.lines.last?.split(separator: ",").count == 3, "\(program.transcript)")
            try await sensor.stop()
        }

        @Test func `delegates are on the main actor and on a queue of their own`() async throws {
            let sensor = try await sensor()
            let program = try start("scanner", 6, on: Lab.centralAdapter)
            try await program.line(containing: "ready on the main actor", within: .seconds(60))
            try await program.line(containing: "seen: Dittojay", within: .seconds(60))
            try await end(program, and: sensor)
        }

        @Test(arguments: FixtureProgram.languageModes)
        func `a program's own handler gets what the layers log`(mode: Int) async throws {
            let sensor = try await sensor()
            let program = try start("logged", mode, on: Lab.centralAdapter)
            #expect(try await program.exitStatus(within: .seconds(60)) == 0, "\(program.transcript)")
            try await sensor.stop()
            for text in [
                "trace bluejay.dbus:", "debug bluejay.bluez:", "debug bluejay.corebluetooth:", "debug bluejay:",
            ] {
                #expect(program.lines.contains { $0.contains(text) }, "no \(text) in \(program.transcript)")
            }
            #expect(program.lines.contains("found Dittojay"), "\(program.transcript)")
        }

        // MARK: Support

        private func sensor() async throws -> Sensor {
            try await Lab.here.forget(Lab.sensorAddress, on: Lab.centralAdapter)
            return try await Sensor(["--rate", "10"])
        }

        private func start(_ name: String, _ mode: Int, on adapter: String) throws -> ChildProcess {
            try FixtureProgram.start(name, languageMode: mode, adapter: adapter, isLineBuffered: false)
        }

        private func end(_ program: ChildProcess, and sensor: Sensor) async throws {
            // These programs know no end, and a central that is killed leaves its link.
            _ = try await program.interrupt()
            try await sensor.stop()
            try await Lab.here.forget(Lab.sensorAddress, on: Lab.centralAdapter)
        }
    }
}
