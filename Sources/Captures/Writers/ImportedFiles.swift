import Foundation
import GATTProfiles
package import PlainText
import ProfileWriting

extension DeviceImport {
    /// The lines of the profile: the attributes, and the recording.
    ///
    /// - Returns: also how many values there was no room for.
    package var profile: (lines: [String], omittedValues: Int) {
        let text = ProfileText(clone)
        var lines = text.lines
        var length = lines.reduce(0) { $0 + $1.utf8.count + 1 }
        var references: [UInt16: String] = [:]
        var values: [String] = []
        let sent = behaviour.recording.filter { senders[$0.handle] != nil }
        for value in sent {
            guard let place = senders[value.handle], value.time <= RecordingLimits.longest else { break }
            let reference = references[value.handle] ?? text.reference(to: place)
            references[value.handle] = reference
            // Without bytes its colon would make YAML's scalar a key.
            let bytes = value.bytes.isEmpty ? "empty" : "hex:" + ValueText.hex(value.bytes)
            let line = "    - \(fixedPoint(value.time, places: 3)) s \(reference) \(bytes)"
            length += line.utf8.count + 1
            guard length + Self.recordingHeader < RecordingLimits.longestFile else { break }
            values.append(line)
        }
        if !values.isEmpty { lines += ["recording:", "  values:"] + values }
        return (lines, sent.count - values.count)
    }

    /// Room for what is in front of the values, in bytes.
    private static let recordingHeader = 1024

    /// The lines of the scenario, which tests a central: it has to do what was done. Nil if nothing was done that a
    /// peripheral sees.
    ///
    /// - Returns: also what is not in it.
    package var scenario: (lines: [String], report: ImportReport)? {
        var maker = ScenarioImport(self)
        maker.make()
        return maker.lines.isEmpty ? nil : (maker.text, maker.report)
    }

    /// The device's address, or the word that stands for it.
    package var identity: String { device.identity.text }

    /// `3 services with 5 characteristics`.
    package var contents: String {
        "\(counted(clone.services.count, "service")) with \(counted(characteristicCount, "characteristic"))"
    }

    private var characteristicCount: Int { clone.services.reduce(0) { $0 + $1.characteristics.count } }

    package func add(to object: inout JSONObject) {
        object.add("services", clone.services.count)
        object.add("characteristics", characteristicCount)
        object.add("recordedValues", behaviour.recording.count)
    }
}
