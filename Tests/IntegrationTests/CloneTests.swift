import BluetoothLab
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// A device, read into a profile and served from it.
    @Suite struct Clones {
        private func clone(of profile: String, to file: URL) async throws -> String {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", profile)
            let text = try await clone(to: file)
            try await sensor.stop()
            return text
        }

        /// Reads what advertises.
        private func clone(to file: URL) async throws -> String {
            try await Lab.here.bluejay("clone", Lab.sensorAddress, "--output", file.path, "--connect-timeout", "30")
            return try String(contentsOf: file, encoding: .utf8)
        }

        private func withFolder(_ body: (URL) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clone-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder)
            try await Lab.here.forgetEachOther()
        }

        @Test(
            arguments: cases(
                ["twins", "faulty", "standard", "thermometer", "uart", "changing", "heart-rate", "lab"], few: 3))
        func `a clone of a clone is the same`(name: String) async throws {
            try await withFolder { folder in
                let first = folder.appendingPathComponent("first.yaml")
                let original = try await clone(of: Lab.profile(name), to: first)
                let second = try await clone(of: first.path, to: folder.appendingPathComponent("second.yaml"))
                #expect(second == original)
                #expect(original.contains("services:\n  - uuid: "))
                switch name {
                case "thermometer":
                    #expect(original.contains("local-name: \"Room 12\"\nappearance: 0x0300\nadvertise:\n"))
                    #expect(original.contains("manufacturer: {company: 0xFFFF, data: hex:524d0c}"))
                    #expect(original.contains("encrypted: [read]\n        value: \"text:0012-3456\""))
                    #expect(original.contains("format: {type: i16, exponent: -2, unit: celsius}"))
                case "faulty":
                    #expect(original.contains("faults: [{on: read, error: 0x85}]"))
                    #expect(original.contains("faults: [{on: read, disconnect: true}]"))
                    #expect(original.contains("value: \"text:at last\""))
                default: break
                }
            }
        }

        @Test func `a clone of a paired device does not guess which services it advertises`() async throws {
            try await withFolder { folder in
                try await Lab.here.forgetEachOther()
                let sensor = try await Sensor("--profile", Lab.profile("thermometer"))
                // A value needs pairing.
                let first = try await clone(to: folder.appendingPathComponent("first.yaml"))
                #expect(first.contains("    advertised: true\n"))
                let second = folder.appendingPathComponent("second.yaml")
                let again = try await Lab.here.bluejay(
                    "clone", Lab.sensorAddress, "--output", second.path, "--connect-timeout", "30", "--json")
                try await sensor.stop()
                #expect(try !String(contentsOf: second, encoding: .utf8).contains("advertised: true"))
                #expect(again.transcript.contains("which services it advertises"), "\(again.transcript)")
                #expect(!again.transcript.contains("does not exist"), "\(again.transcript)")
            }
        }

        @Test(arguments: cases(["bless_peripheral.py", "bluez_peripheral_sensor.py"], few: 1))
        func `a clone of a peripheral in Python is cloned the same`(program: String) async throws {
            try await withFolder { folder in
                try await Lab.here.forgetEachOther()
                let peripheral = try Lab.peer(program, "--adapter", Lab.sensorAdapter, "--name", "Python")
                try await peripheral.line(containing: "\"ready\"", within: .seconds(60))
                let first = folder.appendingPathComponent("first.yaml")
                let original = try await clone(to: first)
                _ = try await peripheral.interrupt()
                #expect(original.hasPrefix("local-name: \"Python\"\n"))
                #expect(original.contains("- uuid: heart-rate\n    advertised: true\n"))
                #expect(original.contains("- uuid: body-sensor-location\n        properties: [read, write]\n"))
                let second = try await clone(of: first.path, to: folder.appendingPathComponent("second.yaml"))
                #expect(second == original)
            }
        }

        @Test func `everything that is advertised is shown and cloned`() async throws {
            try await withFolder { folder in
                let profile = folder.appendingPathComponent("loud.yaml")
                try """
                local-name: "Loud"
                advertise:
                  manufacturer:
                    - {company: 0x004C, data: hex:1005}
                    - {company: 0xEC88, data: hex:03}
                  tx-power: true
                  service-data:
                    "FCD2": hex:400164
                services:
                  - uuid: battery
                    advertised: true
                    characteristics: []

                """.write(to: profile, atomically: true, encoding: .utf8)
                let first = try await clone(of: profile.path, to: folder.appendingPathComponent("first.yaml"))
                #expect(try first == String(contentsOf: profile, encoding: .utf8))
            }
        }

        @Test func `a clone of what bluetoothctl serves is cloned the same`() async throws {
            try await withFolder { folder in
                try await Lab.here.forgetEachOther()
                let control = try ChildProcess("bluetoothctl")
                try await serve(control)
                let first = folder.appendingPathComponent("first.yaml")
                let original = try await clone(to: first)
                try control.type("quit")
                _ = try await control.exitStatus()
                #expect(
                    original == """
                        local-name: "Control"
                        advertise:
                          manufacturer: {company: 0xFFFF, data: hex:1234}
                        services:
                          - uuid: "F1000021-0000-4000-8000-000000000000"
                            characteristics:
                              - uuid: "F1000022-0000-4000-8000-000000000000"
                                properties: [write-without-response, write]
                          - uuid: "AAA0"
                            advertised: true
                            characteristics:
                              - uuid: battery-level
                                properties: [read, indicate]
                                encrypted: [read]
                                value: hex:64
                              - uuid: "AAA1"
                                properties: [read, write, notify]
                                value: hex:010203

                        """)
                let second = try await clone(of: first.path, to: folder.appendingPathComponent("second.yaml"))
                #expect(second == original)
            }
        }

        /// Has bluetoothctl register services, and advertise.
        private func serve(_ control: ChildProcess) async throws {
            func type(_ lines: String..., until answer: String) async throws {
                for line in lines { try control.type(line) }
                try await control.line(containing: answer, within: .seconds(30))
            }
            // Each answer is the only sign that the lines before it were taken.
            try await type(
                "select \(Lab.sensorAddress)", "menu gatt", "register-service 0000aaa0-0000-1000-8000-00805f9b34fb",
                "yes",
                "register-characteristic 0000aaa1-0000-1000-8000-00805f9b34fb read,write,notify", "0x01 0x02 0x03",
                "register-characteristic 00002a19-0000-1000-8000-00805f9b34fb read,encrypt-read,indicate", "0x64",
                "register-service f1000021-0000-4000-8000-000000000000", "yes",
                "register-characteristic f1000022-0000-4000-8000-000000000000 write,write-without-response", "0x00",
                "register-application", until: "Application registered")
            try await type(
                "back", "menu advertise", "name Control", "uuids aaa0", "manufacturer 0xffff 0x12 0x34", "back",
                "advertise on", until: "Advertising object registered")
        }

        private static let silent = LabRadio.Scene.text(
            """
            air: ideal
            phantoms:
              silent:
                at: [1 m, 0 m]
                services: [180D]
                local-name: silent
                peripheral:
                  services:
                    - uuid: 180D
                      characteristics:
                        - {uuid: 2A38, properties: [read], value: 01, faults: [{on: read, no-answer: true}]}
                        - {uuid: 2A39, properties: [read], value: 02}
            """)

        @Test(.needsVirtualRadio, .bluetoothLab(scene: silent))
        func `a read that a device leaves unanswered becomes a fault, and what follows it is read`() async throws {
            try await withFolder { folder in
                let file = folder.appendingPathComponent("silent.yaml")
                try await Lab.here.bluejay("clone", "silent", "--output", file.path, "--answer-timeout", "5")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("properties: [read]\n        faults: [{on: read, no-answer: true}]\n"), "\(text)")
                #expect(text.contains("properties: [read]\n        value: hex:02\n"), "\(text)")
            }
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
