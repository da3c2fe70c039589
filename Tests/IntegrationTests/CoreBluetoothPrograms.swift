import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// Two programs that know nothing but Apple's documentation, a central and a peripheral, talk to each other.
    @Suite struct CoreBluetoothPrograms {
        @Test(arguments: FixtureProgram.languageModes)
        func `messages are exchanged across a loss and at the next launch`(mode: Int) async throws {
            let lab = try Lab.here
            try await lab.forget(Lab.sensorAddress, on: Lab.centralAdapter)
            try await lab.forget(Lab.centralAddress, on: Lab.sensorAdapter)
            // Where the central keeps its settings.
            let home = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }

            let peripheral = try FixtureProgram.start(
                "json-peripheral", languageMode: mode, adapter: Lab.sensorAdapter)
            try await peripheral.line(containing: "advertising")
            let central = try start(["2"], mode, home)
            try await central.line(containing: "session 1 done", within: .seconds(60))

            // Out of range, and back.
            let seen = peripheral.lines.count
            try await lab.power(off: Lab.sensorAdapter)
            let loss = await Task { try await central.line(containing: "lost: ", within: .seconds(30)) }.result
            try await lab.power(on: Lab.sensorAdapter)
            _ = try loss.get()
            try await peripheral.line(containing: "advertising", from: seen)
            #expect(try await central.exitStatus(within: .seconds(90)) == 0, "\(central.transcript)")
            let replies = (0..<4).map { "reply \($0): " }
            // That a connection carries nothing while the controller goes off is no mistake of the program.
            let mistakes = ["wrong", "not written", "not understood", "unexpected"]
            let wrong = central.lines.filter { line in mistakes.contains { line.contains($0) } }
            #expect(wrong == [], "\(central.transcript)")
            try expect(
                central,
                ["scanning", "discovered, with its service: true", "connected", "ready, "]
                    + replies + ["session 1 done", "lost: ", "connected", "ready, "] + replies
                    + ["session 2 done", "left"])

            // The next launch: no scan.
            let next = try start([], mode, home)
            #expect(try await next.exitStatus(within: .seconds(60)) == 0, "\(next.transcript)")
            try expect(next, ["known from an earlier launch", "connected"] + replies + ["session 1 done", "left"])
            #expect(!next.lines.contains("scanning"), "\(next.transcript)")

            try await peripheral.line(containing: "unsubscribed, 0 left", from: seen)
            #expect(try await peripheral.interrupt() == -SIGINT, "\(peripheral.transcript)")
            #expect(try await lab.advertisements(on: Lab.sensorAdapter) == 0)
        }

        private func start(_ arguments: [String], _ mode: Int, _ home: URL) throws -> ChildProcess {
            try FixtureProgram.start(
                "json-central", arguments, languageMode: mode, adapter: Lab.centralAdapter,
                environment: ["HOME": home.path, "CFFIXED_USER_HOME": home.path])
        }
    }
}
