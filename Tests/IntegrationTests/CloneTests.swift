import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// A device, read into a profile and served from it.
    @Suite struct Clones {
        private func clone(of profile: String, to file: URL) async throws -> (report: String, text: String) {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", profile)
            let clone = try await Lab.here.bluejay(
                "clone", Lab.sensorAddress, "--output", file.path, "--connect-timeout", "30")
            try await sensor.stop()
            return (clone.transcript, try String(contentsOf: file, encoding: .utf8))
        }

        @Test(arguments: ["thermometer", "twins", "uart", "faulty", "changing", "heart-rate", "lab", "standard"])
        func `a clone of a clone is the same`(name: String) async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clone-\(name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = folder.appendingPathComponent("first.yaml")
            let original = try await clone(of: Lab.profile(name), to: first)
            let second = try await clone(of: first.path, to: folder.appendingPathComponent("second.yaml"))
            #expect(second.text == original.text)
            #expect(original.text.contains("services:\n  - uuid: "))
            switch name {
            case "thermometer":
                #expect(original.text.contains("local-name: \"Room 12\"\nappearance: 0x0300\nadvertise:\n"))
                #expect(original.text.contains("manufacturer: {company: 0xFFFF, data: hex:524d0c}"))
                #expect(original.text.contains("encrypted: [read]\n        value: \"text:0012-3456\""))
                #expect(original.text.contains("format: {type: i16, exponent: -2, unit: celsius}"))
            case "faulty":
                #expect(original.text.contains("faults: [{on: read, error: 0x85}]"))
                #expect(original.text.contains("faults: [{on: read, disconnect: true}]"))
                #expect(original.text.contains("value: \"text:at last\""))
            default: break
            }
            try await Lab.here.forgetEachOther()
        }

        @Test func `a file is not overwritten, and a device that is not there is said`() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data("mine".utf8).write(to: file)
            _ = try await Lab.here.bluejay("clone", "Nobody", "--output", file.path, expecting: 64)
            _ = try await Lab.here.bluejay(
                "clone", "Nobody", "--output", file.path, "--force", "--connect-timeout", "2", expecting: 3)
            #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
        }
    }
}
