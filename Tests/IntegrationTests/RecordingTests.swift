import BluetoothLab
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// What a device sends, recorded and sent again.
    @Suite struct Recordings {
        private let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        /// A value of a recording, as it is in the file.
        private struct Value {
            let time: Double
            let characteristic: String
            let bytes: String

            init?(_ line: Substring) {
                let words = line.split(separator: " ")
                guard words.count == 5, words[0] == "-", words[2] == "s", let time = Double(words[1]) else {
                    return nil
                }
                (self.time, characteristic, bytes) = (time, String(words[3]), String(words[4]))
            }
        }

        private func values(in file: URL) throws -> [Value] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap(Value.init)
        }

        private func clone(in file: URL) throws -> String {
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.components(separatedBy: "recording:\n")[0]
        }

        /// Records a running dittojay.
        private func record(_ name: String, of options: String..., count: Int) async throws -> URL {
            try await Lab.here.forgetEachOther()
            let file = folder.appendingPathComponent(name)
            let sensor = try await Sensor(options)
            try await Lab.here.bluejay(
                "record", Lab.sensorAddress, "--output", file.path, "--count", "\(count)", "--connect-timeout", "30")
            try await sensor.stop()
            return file
        }

        /// Whether nothing in the lab is late because the host is busy.
        private var isTimeSimulated: Bool { ProcessInfo.processInfo.environment["LAB_CLOCK"] == "simulated" }

        @Test func `a recording that is sent again is recorded the same`() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = try await record("first.yaml", of: "--profile", Lab.profile("wearable"), count: 200)
            let second = try await record("second.yaml", of: "--profile", first.path, count: 200)
            #expect(try clone(in: second) == clone(in: first))
            let (original, copy) = try (values(in: first), values(in: second))
            #expect(original.count == 200 && copy.count == 200)
            let bytes = { (values: [Value]) in
                Dictionary(grouping: values, by: \.characteristic).mapValues { $0.map(\.bytes) }
            }
            #expect(bytes(original) == bytes(copy))
            if !isExplored {
                #expect(original.map(\.characteristic) == copy.map(\.characteristic))
                let delays = zip(original, copy).map { $1.time - $0.time }.sorted()
                if isTimeSimulated { #expect(delays.allSatisfy { abs($0) < 0.02 }, "\(delays)") }
            }
            #expect(Set(original.map(\.characteristic)).count == 4)
        }
    }
}
