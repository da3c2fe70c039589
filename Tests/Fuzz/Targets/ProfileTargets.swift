import Dittojay
import Foundation
import PlainText

extension FuzzTarget {
    /// Profile files.
    static let profiles = FuzzTarget(
        name: "profiles", weight: 150, generate: { ProfileTexts.mutator.input(&$0) },
        run: { bytes in
            try ProfileTexts.check(bytes) { text throws(ProfileFileError) in
                let profile = try ProfileFile.parse(text, file: "x.yaml").value
                return (profile.summary.joined(separator: "\n"), profile.json.text)
            }
        })

    /// Scenario files.
    static let scenarios = FuzzTarget(
        name: "scenarios", weight: 100, generate: { ScenarioTexts.mutator.input(&$0) },
        run: { bytes in
            try ProfileTexts.check(bytes) { text throws(ProfileFileError) in
                var profile = PeripheralProfile.default
                profile.scenario = try ProfileFile.parseScenario(text, file: "x.yaml", for: profile).value
                return (profile.summary.joined(separator: "\n"), profile.json.text)
            }
        })
}

private enum ProfileTexts {
    static let folder = "Fixtures/profiles"

    static let files: [(name: String, text: String)] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { name in
            (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)).map { (name, $0) }
        }
    }()

    static let words =
        Oddities.numbers + Oddities.texts + [
            "[", "]", "{", "}", ": ", "- ", "? ", ", ", "\n", "  ", "&a ", "*a ", "&a [", "*a, ", "<<: *a", "|-\n",
            ">\n",
            "#", "!!str ", "! ", "@", "`", "---\n", "...\n", "%TAG ! x\n", "%YAML 1.1\n", "[[[[", "{a: ", "u8:1",
            "i16be:-5",
            "hex:0A 0B", "text:x", "empty", "250 ms", "1.5 s", "2 min", "0 s", "1e9 s", "1-20", "20-1", "u64:1", "i64",
            "heart-rate", "0x80", "any: true", "faults:\n", "scenario:\n", "when:\n", "do:\n",
            "repeat: {times: 2, steps: [", "recording:\n", "values:\n", "pace: 2", "0.5 s 2A37 hex:00",
        ]

    static let mutator = Mutator(corpus: files.map(\.text), words: words)

    /// A text is read, or there is a sentence that says why not.
    static func check(_ bytes: [UInt8], _ read: (String) throws(ProfileFileError) -> (String, String)) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let (summary, json): (String, String)
        do throws(ProfileFileError) {
            (summary, json) = try read(text)
        } catch {
            try expect(!error.message.isEmpty, "an error without a message")
            try expect((error.line ?? 1) > 0 && (error.column ?? 1) > 0, "a place before the first: \(error)")
            try expect(error.description.utf8.count < 1 << 20, "an endless message")
            return
        }
        try expect(!summary.isEmpty, "no summary")
        try expect(
            (try? JSONSerialization.jsonObject(with: Data(json.utf8))) is [String: Any],
            "the profile's JSON is none: \(json)")
    }
}

private enum ScenarioTexts {
    static let mutator: Mutator = {
        let steps = [
            """
            - wait-for: {occasion: subscribed, on: chirp}
            - send: {on: chirp/chirp, values: [u8:1, text:a], every: 10 ms}
            - repeat: {times: 3, steps: [{chirp: hex:0102}, {wait: 1 s}, {burst: {count: 100, size: 20, rate: 50}}]}
            - fault: {characteristic: chirp, on: notify, drop: true, after: 1, times: 2}
            - fault: {characteristic: heart-rate-measurement, on: subscribe, flood: {count: 10, value: u16:1}}
            - clear-faults: all
            """,
            """
            scenario:
              - add-service: all
              - remove-service: chirp
              - wait-for: connected
              - set: {on: body-sensor-location, value: u8:1}
              - reset-energy: heart-rate-measurement
              - disconnect
              - repeat: &r {times: 2, steps: &s [quit]}
              - repeat: {times: 1, steps: *s}
            """,
        ]
        return Mutator(corpus: steps + ProfileTexts.files.map(\.text).suffix(2), words: ProfileTexts.words)
    }()
}
