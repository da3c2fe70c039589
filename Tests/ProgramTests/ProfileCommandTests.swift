import BluetoothLab
import Foundation
import TestSupport
import Testing

/// The commands for profile files and for names, which need no Bluetooth.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ProfileCommandTests {
    private let programs: Programs

    init() throws {
        programs = try Programs()
    }

    private func dittojay(_ words: String..., expecting status: Int32 = 0) async throws -> [String] {
        let process = try programs.run(["dittojay"] + words)
        #expect(try await process.exitStatus() == status, "\(process.transcript)")
        return process.lines
    }

    private func path(_ name: String) -> String { programs.folder.path + "/" + name }
    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    @Test func `a profile is written that checks clean`() async throws {
        let file = path("thermometer.yaml")
        let lines = try await dittojay("init", path("thermometer"))
        #expect(lines == [file + ": a room thermometer, with values that change by themselves"])
        let summary = try await dittojay("check", file)
        #expect(summary.first == "profile thermometer, advertised as \"thermometer\"")
        let schema = try await dittojay("schema")
        #expect(try text("profile.schema.json") == schema.joined(separator: "\n") + "\n")
        #expect(try text("thermometer.yaml").hasPrefix("# yaml-language-server: $schema=profile.schema.json\n"))
    }

    @Test(arguments: [
        (["--pace", "2"], "--pace and --repeat require a profile with a recording"),
        (["--repeat"], "--pace and --repeat require a profile with a recording"),
        (["--pace", "0"], "--pace must be a number from 0.001 to 1000"),
        (["--pace", "nan"], "--pace must be a number from 0.001 to 1000"),
    ])
    func `how a recording is sent needs one`(words: [String], message: String) async throws {
        let process = try programs.run(["dittojay"] + words)
        #expect(try await process.exitStatus() == 64)
        #expect(process.transcript.contains(message), "\(process.transcript)")
    }

    @Test func `a file that is there is not written over`() async throws {
        try "mine".write(toFile: path("light.yaml"), atomically: true, encoding: .utf8)
        try "mine".write(toFile: path("profile.schema.json"), atomically: true, encoding: .utf8)
        let refusal = try await dittojay("init", path("light"), expecting: 1)
        #expect(refusal == ["dittojay: \(path("light.yaml")) already exists; use --force to overwrite it"])
        #expect(try text("light.yaml") == "mine")
        _ = try await dittojay("init", path("light"), "--force")
        #expect(try text("light.yaml").contains("name: light"))
        #expect(try text("profile.schema.json") == "mine")
    }

    @Test func `a profile begins with any service`() async throws {
        _ = try await dittojay("init", path("garden.yaml"), "--template", "glucose", "--no-schema")
        #expect(try text("garden.yaml").contains("name: garden"))
        #expect(try text("garden.yaml").contains("uuid: glucose"))
        #expect(!FileManager.default.fileExists(atPath: path("profile.schema.json")))
        let wrong = try await dittojay("init", path("x"), "--template", "thermomter", expecting: 64)
        #expect(wrong.first?.contains("(did you mean \"thermometer\"?)") == true)
        let nowhere = try await dittojay("init", path("no/such/folder/x"), expecting: 1)
        #expect(nowhere.first?.contains("cannot be written") == true)
    }

    @Test func `all mistakes are reported at once`() async throws {
        try "nam: x\nservices:\n  - uuid: heart-rat\n    advertised: maybe\n".write(
            toFile: path("bad.yaml"), atomically: true, encoding: .utf8)
        let lines = try await dittojay("check", path("bad.yaml"), expecting: 64)
        let file = "dittojay: \(path("bad.yaml"))"
        try #require(lines.count == 4)
        #expect(lines[0].hasPrefix("\(file):1:1: unknown key \"nam\" in a profile (did you mean \"name\"?)"))
        #expect(lines[1].hasPrefix("\(file):3:11: services[0].uuid: "))
        #expect(lines[2].hasPrefix("\(file):4:17: services[0].advertised: expected true or false"))
        #expect(lines[3] == "dittojay: 3 mistakes")
    }

    @Test(
        arguments: [
            (["2a6e"], "characteristic  2A6E  temperature  Temperature"),
            (["0x004C", "--kind", "company"], "company  004C  apple-inc  Apple, Inc."),
            (["heart", "belt"], "appearance  0341  heart-rate-belt  Heart Rate Belt"),
            (["chirp-service"], "service  CED261B7-F120-41C8-9A92-A41DE69CF2A8  chirp-service  Chirp Service"),
        ])
    func `names are found by name and by number`(words: [String], line: String) async throws {
        let process = try programs.run(["dittojay", "names"] + words)
        #expect(try await process.exitStatus() == 0)
        #expect(process.lines == [line])
    }

    @Test func `a name that there is not is answered with one that is near`() async throws {
        let lines = try await dittojay("names", "hert-rate", "--kind", "service", expecting: 1)
        #expect(lines == ["dittojay: unknown name or number \"hert-rate\" (did you mean \"heart-rate\"?)"])
        let json = try await dittojay("names", "180d", "--json", "--kind", "service")
        let found = #"{"kind":"service","number":"180D","typedName":"heart-rate","name":"Heart Rate"}"#
        #expect(json == [#"{"names":[\#(found)]}"#])
    }
}
