import Foundation
import GATTProfiles
import TestSupport
import Testing
import YAMLText

@testable import Dittojay

/// Recordings in profile files.
@Suite struct RecordingFileTests {
    private static let services = """
        services:
          - uuid: heart-rate
            characteristics:
              - {uuid: heart-rate-measurement, properties: [notify]}
              - {uuid: body-sensor-location, properties: [read]}
          - uuid: battery
            characteristics:
              - {uuid: battery-level, properties: [read, notify]}
              - {name: busy, uuid: 2A1A, properties: [notify], notify: {every: 1 s, value: u8:1}}

        """

    private func parse(_ recording: String) throws -> ProfileFile.Content<PeripheralProfile> {
        try ProfileFile.parse(Self.services + recording, file: "x.yaml")
    }

    private func values(_ lines: String...) -> String {
        "recording:\n  values:\n" + lines.map { "    - \($0)\n" }.joined()
    }

    @Test func `a time, a characteristic and a value are taken in every form`() throws {
        let text = values(
            "0 s heart-rate-measurement hex:0648", "250ms 2A37 u8:6 72", "0.5 s heart-rate/2A37 empty",
            "0.5 s   battery/battery-level   hex:64", "1 min battery-level \"text\"", "'1.5 min 2A19 text:a: b'"
        ).replacingOccurrences(of: " \"text\"", with: " text:x")
        let recording = try #require(try parse(text).value.recording)
        let (rate, level) = (
            CharacteristicPath("heart-rate", "heart-rate-measurement"), CharacteristicPath("battery", "battery-level")
        )
        #expect(
            recording
                == Recording(values: [
                    .init(time: 0, characteristic: rate, bytes: [6, 0x48]),
                    .init(time: 0.25, characteristic: rate, bytes: [6, 72]),
                    .init(time: 0.5, characteristic: rate, bytes: []),
                    .init(time: 0.5, characteristic: level, bytes: [0x64]),
                    .init(time: 60, characteristic: level, bytes: Array("x".utf8)),
                    .init(time: 90, characteristic: level, bytes: Array("a: b".utf8)),
                ]))
        #expect(recording.description == "6 values of 2 characteristics in 90 s")
        #expect(try parse(text).value.summary.last == "recording of 6 values of 2 characteristics in 90 s")
        #expect(try parse("").value.recording == nil)
    }

    @Test func `a pace and a repetition are read, and the summary has them`() throws {
        let recording = try #require(
            try parse("recording: {pace: 2.5, repeat: yes, values: [5 s 2A37 u8:1]}").value.recording)
        #expect(recording.pace == 2.5 && recording.repeats && recording.duration == 2)
        #expect(recording.description == "1 value of 1 characteristic in 2 s, again and again")
    }

    @Test(arguments: [
        ("recording: []", "expected a recording"), ("recording: {}", "\"values\" is missing"),
        ("recording: {values: 1 s 2A37 u8:1}", "expected a list of values"),
        ("recording: {values: []}", "expected 1...100000 values in a recording, found 0"),
        ("recording: {value: [1 s 2A37 u8:1]}", "did you mean \"values\""),
        ("recording: {pace: 0, values: [1 s 2A37 u8:1]}", "a number from 0.001 to 1000"),
        ("recording: {pace: 1001, values: [1 s 2A37 u8:1]}", "a number from 0.001 to 1000"),
        ("recording: {pace: nan, values: [1 s 2A37 u8:1]}", "a number from 0.001 to 1000"),
        ("recording: {pace: -1, values: [1 s 2A37 u8:1]}", "a number from 0.001 to 1000"),
        ("recording: {repeat: 3, values: [1 s 2A37 u8:1]}", "expected true or false"),
        ("recording: {values: [1 s 2A37]}", "expected a time, a characteristic and a value"),
        ("recording: {values: [1 s]}", "expected a time, a characteristic and a value"),
        ("recording: {values: ['']}", "expected a time, a characteristic and a value"),
        ("recording: {values: [{at: 1 s}]}", "expected a time, a characteristic and a value"),
        ("recording: {values: [1 d 2A37 u8:1]}", "a time such as"),
        ("recording: {values: [1 2A37 u8:1]}", "expected a time, a characteristic and a value"),
        ("recording: {values: [-1 s 2A37 u8:1]}", "a time such as"),
        ("recording: {values: [604801 s 2A37 u8:1]}", "a time from 0 s to 604800 s"),
        ("recording: {values: [1 s 2A37 5]}", "invalid value \"5\""),
        ("recording: {values: [1 s 2A37 hex:0]}", "odd number"),
        ("recording: {values: [1 s 2A38 u8:1]}", "has neither the notify nor the indicate property"),
        ("recording: {values: [1 s heart-rate-measurment u8:1]}", "did you mean \"heart-rate-measurement\""),
        ("recording: {values: [2 s 2A37 u8:1, 1.9 s 2A37 u8:1]}", "earlier than that of the previous value, 2 s"),
        ("recording: {values: [2 s busy u8:1]}", "battery/busy is in the recording, but also sends values of its own"),
    ])
    func `each mistake is named`(text: String, part: String) throws {
        let error = try #require(throws: ProfileFileError.self) { try parse(text) }
        #expect(error.description.contains(part), "\(error)")
        #expect(error.line ?? 0 > 9, "\(error)")
    }

    @Test func `a mistake has the place of its value`() throws {
        let error = try #require(
            throws: ProfileFileError.self
        ) { try parse(values("1 s 2A37 u8:1", "2 s 2A37 u8:256", "3 s 2A37 u8:2", "4 s nobody u8:2")) }
        #expect(error.keyPath == "recording.values[1]" && error.line == 13)
        #expect(error.others.map(\.keyPath) == ["recording.values[3]"])
    }

    @Test func `as many values as there can be are read within seconds, and one more is refused`() throws {
        let count = RecordingLimits.maximumValues
        var text = Self.services + "recording:\n  values:\n"
        for number in 0..<count { text += "    - \(number).125 s heart-rate/heart-rate-measurement hex:0648\n" }
        #expect(text.utf8.count < YAMLText.maximumLength)
        #expect(count < Int(RecordingLimits.longest))
        var recording: Recording?
        let time = try processorTime { recording = try ProfileFile.parse(text, file: "x.yaml").value.recording }
        #expect(recording?.values.count == count)
        #expect(recording?.values.last?.time == Double(count - 1) + 0.125)
        #expect(time < .seconds(20))
        text += "    - 600000 s heart-rate/heart-rate-measurement hex:0648\n"
        let error = #expect(throws: ProfileFileError.self) { try ProfileFile.parse(text, file: "x.yaml") }
        #expect(error?.message.contains("found \(count + 1)") == true)
    }

    @Test func `who writes a recording and who reads it have the same limit`() {
        #expect(RecordingLimits.longestFile == YAMLText.maximumLength)
        #expect(RecordingLimits.maximumValues < YAMLBounds.maximumNodes)
    }
}
