import BluetoothLab
import Foundation
import TestSupport
import Testing

/// Commands that are mistyped, and the version.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CommandWordTests {
    @Test(arguments: [
        (
            ["dittojay", "staus"],
            "dittojay: unknown command \"staus\" (did you mean \"status\"?); dittojay --help lists the commands"
        ),
        (["dittojay", "service", "ad", "chirp"], "dittojay service: unknown command \"ad\" (did you mean \"add\"?)"),
        (["dittojay", "thermometer.yaml"], "dittojay: unknown command \"thermometer.yaml\"; dittojay --help"),
        (["bluejay", "moniter", "--count", "1"], "bluejay: unknown command \"moniter\" (did you mean \"monitor\"?)"),
    ])
    func `a mistyped command is named with the one that is near`(words: [String], message: String) async throws {
        let program = try Programs().run(words)
        #expect(try await program.exitStatus() == 64)
        #expect(program.lines.count == 1 && program.lines.first?.hasPrefix(message) == true, "\(program.transcript)")
    }

    @Test func `both programs and the lab have the version of the changelog`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").path
        let log = try String(contentsOfFile: root + "/CHANGELOG.md", encoding: .utf8)
        let version = try #require(log.firstMatch(of: /## \[([0-9.]+)\]/)?.1)
        for program in ["dittojay", "bluejay"] {
            let process = try Programs().run(program, "--version")
            #expect(try await process.exitStatus() == 0)
            #expect(process.lines == ["\(program) \(version)"])
        }
        let lab = try ChildProcess(root + "/lab", ["--version"])
        #expect(try await lab.exitStatus() == 0)
        #expect(lab.lines == ["lab \(version)"])
    }
}
