import AssignedNumbers
import CoreBluetooth
import Foundation
import GATTProfiles
import PlainText
import Testing
import YAMLText

@testable import Dittojay

/// The example files, which are beside the tests in the repository.
private enum Example {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../Fixtures/profiles"
    ).standardized.path

    static let profiles = ["heart-rate", "lab", "thermometer", "uart", "faulty", "twins"].map { "\(folder)/\($0).yaml" }
    static let scenario = folder + "/service-change.yaml"
}

@Suite struct ProfileFileTests {
    private func parse(_ text: String) throws -> PeripheralProfile {
        try ProfileFile.parse(text, file: "x.yaml").value
    }

    /// A profile with one characteristic, and these lines in it.
    private func characteristic(_ lines: String) throws -> CharacteristicProfile {
        let indented = lines.split(separator: "\n").map { "        \($0)\n" }.joined()
        let text = "services:\n  - uuid: 180F\n    characteristics:\n      - uuid: 2A19\n" + indented
        return try #require(try parse(text).services.first?.characteristics.first)
    }

    @Test(arguments: Example.profiles)
    func `the example files are all understood, without a warning`(path: String) throws {
        let content = try ProfileFile.read(path: path)
        #expect(content.warnings == [])
        #expect(!content.value.summary.isEmpty)
        #expect(try JSONSerialization.jsonObject(with: Data(content.value.json.utf8)) is [String: Any])
    }

    @Test func `the built-in profiles can be written as files`() throws {
        #expect(try ProfileFile.read(path: Example.profiles[0]).value == .default)
        #expect(try ProfileFile.read(path: Example.profiles[1]).value.services == [.lab])
    }

    @Test func `a standard service is one by its name`() throws {
        let profile = try parse(
            """
            services:
              - {standard: cycling-power, advertised: yes, name: power}
              - standard: battery
            scenario:
              - wait-for: {occasion: subscribed, on: power/cycling-power-measurement}
              - set: {on: 2A19, value: u8:7}
            """)
        var power = StandardService.cyclingPower.advertised
        power.name = "power"
        #expect(profile.services == [power, StandardService.battery.profile])
        #expect(profile.scenario.last == .set(CharacteristicPath("battery", "battery-level"), [7]))
    }

    @Test func `a scenario of its own is read for a profile`() throws {
        let steps = try ProfileFile.readScenario(path: Example.scenario, for: .default).value
        #expect(steps.first == .waitFor(.subscribed, on: CharacteristicPath("chirp", "chirp")))
        #expect(steps.last == .quit)
        #expect(steps.contains(.chirp(Array("after".utf8))))
        #expect(
            try ProfileFile.parseScenario("scenario: [quit]", file: "s", for: .default).value == [.quit])
        #expect(throws: ProfileFileError.self) {
            try ProfileFile.parseScenario(
                "- chirp: empty", file: "s",
                for: PeripheralProfile(
                    name: "", localName: "", services: []))
        }
    }

    @Test func `JSON is understood, too`() throws {
        let profile = try parse(
            #"{"services": [{"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read"]}]}]}"#)
        #expect(profile.services.first?.name == "battery")
        #expect(profile.services.first?.characteristics.first?.name == "battery-level")
    }

    @Test(arguments: [
        ("180D", "180D"), ("180d", "180D"), ("0x180D", "180D"), ("heart-rate", "180D"), ("Heart Rate", "180D"),
        ("0000180D-0000-1000-8000-00805F9B34FB", "180D"), ("0000180D", "180D"),
        ("12345678", "12345678-0000-1000-8000-00805F9B34FB"), ("chirp-service", ChirpService.uuid),
        ("ced261b7-f120-41c8-9a92-a41de69cf2a8", ChirpService.uuid), ("1802", "1802"),
    ])
    func `UUIDs are taken in every form`(text: String, uuid: String) throws {
        #expect(try parse("services: [{uuid: \(text)}]").services.first?.uuid == uuid)
    }

    @Test func `every assigned name of a service or a characteristic is taken as its UUID`() throws {
        for entry in AssignedKind.service.all where !["1800", "1801"].contains(entry.digits) {
            let service = try parse("services: [{uuid: \"\(entry.typedName)\"}]").services.first
            #expect(service?.uuid == entry.digits)
            #expect(service?.name == entry.typedName)
        }
        let all = AssignedKind.characteristic.all
        for start in stride(from: 0, to: all.count, by: 100) {
            let part = all[start..<min(start + 100, all.count)]
            let lines = part.map { "\n      - {uuid: \"\($0.typedName)\", properties: [read]}" }.joined()
            let service = try #require(
                try parse("services:\n  - uuid: battery\n    characteristics:\(lines)").services.first)
            #expect(service.characteristics.map(\.uuid) == part.map(\.digits))
            #expect(service.characteristics.map(\.name) == part.map(\.typedName))
        }
    }

    @Test(
        arguments: [
            ("hex:0A 0B", [10, 11]), ("text:a b", [0x61, 0x20, 0x62]), ("u16:1", [1, 0]), ("u16be:1 2", [0, 1, 0, 2]),
            ("empty", []), ("[u8:1, text:a, [hex:ff]]", [1, 0x61, 0xFF]), ("[]", []),
        ] as [(String, [UInt8])])
    func `values are taken in every form`(text: String, bytes: [UInt8]) throws {
        #expect(try characteristic("properties: [read]\nvalue: \(text)").initialValue == bytes)
    }

    @Test func `all that a characteristic can have is read`() throws {
        let all = try characteristic(
            """
            name: level
            properties: [read, write, notify, indicate]
            encrypted: [read, notify]
            value: u8:5
            description: Level
            format: {type: u8, exponent: -1, unit: percent}
            write: {lengths: 1-3, store: true, echo: level, count: true, when: [{prefix: u8:9, refuse: 0x91}]}
            notify: {every: 1.5 s, values: [u8:1, u8:2], once: true}
            split: 2-4
            chirps: true
            quiet: true
            faults: [{on: subscribe, flood: 3, times: 1}, {on: read, delay: 2 s, after: 4}]
            """)
        let path = CharacteristicPath("battery", "level")
        #expect(
            all
                == CharacteristicProfile(
                    name: "level", uuid: "2A19", properties: [.read, .write, .notify, .indicate],
                    encryption: [.read, .notify], initialValue: [5], userDescription: "Level",
                    presentationFormat: PresentationFormat(format: 4, exponent: -1, unit: 0x27AD),
                    writes: WriteRules(
                        lengths: 1...3, effects: [.store, .count, .echo(to: path)],
                        reactions: [WriteReaction(.prefix([9]), .refuse(attError: 0x91))]),
                    notifications: NotificationPlan(interval: 1.5, source: .list([[1], [2]], repeats: false)),
                    pieceSizes: 2...4, chirps: true, isQuiet: true,
                    faults: [
                        Fault(on: .subscribe, .flood(count: 3, value: nil), times: 1),
                        Fault(on: .read, .delay(2), skip: 4),
                    ]))
        #expect(all.registeredProperties == [.read, .write, .notifyEncryptionRequired, .indicateEncryptionRequired])
        #expect(all.permissions == [.readEncryptionRequired, .writeable])
        #expect(all.presentationFormat?.bytes == [4, 0xFF, 0xAD, 0x27, 1, 0, 0])
    }

    @Test func `a characteristic can have any descriptor`() throws {
        let level = try characteristic(
            """
            properties: [read]
            descriptors:
              - {uuid: valid-range, value: hex:00 64}
              - uuid: 12345678-1234-1234-1234-123456789ABC
            """)
        #expect(
            level.copiedDescriptors == [
                .init(uuid: "2906", value: [0, 0x64]), .init(uuid: "12345678-1234-1234-1234-123456789ABC", value: []),
            ])
    }

    @Test func `pairing and what needs it are read`() throws {
        let profile = try parse(
            """
            pairing: {io: keyboard-display, passkey: 001234}
            services:
              - uuid: battery
                characteristics:
                  - {uuid: battery-level, properties: [read, notify], authenticated: true, secure-connections: [notify]}
            """)
        #expect(profile.pairing == PairingProfile(.keyboardDisplay, passkey: CBPasskey("001234")))
        let level = try #require(profile.services.first?.characteristics.first)
        #expect(level.authentication == [.read, .notify] && level.secureConnections == .notify)
        #expect(level.permissions == .readAuthenticationRequired)
        #expect(level.registeredProperties == [.read, .notifySecureConnectionsRequired])
        #expect(profile.summary[1] == "pairing with io keyboard-display, enters 001234")
    }

    @Test func `every step is read`() throws {
        let profile = try parse(
            """
            services:
              - uuid: 180D
                characteristics:
                  - {name: a, uuid: 2A37, properties: [notify], chirps: true, notify: {heart-rate: {}}}
                  - {name: b, uuid: 2A38, properties: [read, write], write: {count: true}}
            scenario:
              - wait: 250 ms
              - wait-for: connected
              - wait-for: {occasion: written, on: b}
              - send: {on: a, values: [u8:1, u8:2], every: 1 s}
              - set: {on: b, value: u8:3}
              - chirp: empty
              - burst: {count: 5, size: 30, rate: 10}
              - add-service: heart-rate
              - remove-service: 180D
              - remove-service: all
              - add-service: all
              - disconnect
              - disconnect: true
              - fault: {characteristic: b, on: read, error: 0x80}
              - clear-faults: b
              - clear-faults: all
              - reset-count: b
              - reset-energy: heart-rate/a
              - repeat: {times: 3, steps: [quit]}
            """)
        let (a, b) = (CharacteristicPath("heart-rate", "a"), CharacteristicPath("heart-rate", "b"))
        #expect(
            profile.scenario == [
                .wait(0.25), .waitFor(.connected, on: nil), .waitFor(.written, on: b),
                .send(on: a, values: [[1], [2]], interval: 1), .set(b, [3]), .chirp([]),
                .burst(count: 5, size: 30, rate: 10), .addService("heart-rate"), .removeService("heart-rate"),
                .removeService(nil), .addService(nil), .disconnect, .disconnect,
                .fault(b, Fault(on: .read, .error(0x80))), .clearFaults(b), .clearFaults(nil),
                .resetCount(b), .resetEnergy(a), .repeat(times: 3, [.quit]),
            ])
    }

    @Test func `a shorthand by anchor and alias is understood`() throws {
        let profile = try parse(
            """
            services:
              - uuid: 180F
                characteristics:
                  - {name: a, uuid: 2A19, properties: &p [read, notify], notify: &n {every: 1 s, value: u8:1}}
                  - {name: b, uuid: 2A1A, properties: *p, notify: *n}
            """)
        let characteristics = try #require(profile.services.first?.characteristics)
        #expect(characteristics[0].notifications == characteristics[1].notifications)
    }

    @Test(arguments: [
        "properties: [read]\nfaults: [{on: read, error: 0x03}]",
        "properties: [write]\nfaults: [{on: write, error: value-not-allowed}]",
        "properties: [write, write-without-response]\nfaults: [{on: write, no-answer: true}]",
        "properties: [write, write-without-response]\nwrite: {when: [{any: true, refuse: 0x80}]}",
        "properties: [read, write]\nvalue: u8:1\nwrite: {lengths: 2}",
    ])
    func `what does not reach the central is warned of`(lines: String) throws {
        let indented = lines.split(separator: "\n").map { "        \($0)\n" }.joined()
        let text = "services:\n  - uuid: 180F\n    characteristics:\n      - uuid: 2A19\n" + indented
        let warnings = try ProfileFile.parse(text, file: "x.yaml").warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.line ?? 0 > 4)
    }
}

@Suite struct ProfileFileMistakeTests {
    private func mistake(in text: String) -> ProfileFileError? {
        #expect(throws: ProfileFileError.self) { try ProfileFile.parse(text, file: "x.yaml") }
    }

    @Test func `a mistake is reported with its place, its keys, and what was probably meant`() throws {
        let error = try #require(
            mistake(
                in:
                    "name: x\nservices:\n  - uuid: 180D\n    characteristics:\n      - uuid: 2A37\n        propertees: [notify]\n"
            ))
        #expect(error.line == 6)
        #expect(error.column == 9)
        #expect(error.keyPath == "services[0].characteristics[0]")
        #expect(error.description.hasPrefix("x.yaml:6:9: services[0].characteristics[0]: "))
        #expect(error.message.contains("(did you mean \"properties\"?)"))
        #expect(!error.description.contains("\n"))
    }

    private static let one = "services:\n  - uuid: 180F\n    characteristics:\n      - uuid: 2A19\n        "

    @Test(arguments: [
        ("", "the file is empty"), ("just text", "expected a profile"), ("[1, 2]", "expected a profile"),
        ("services", "expected a profile"), ("name: x", "\"services\" is missing"), ("services: []", "1...100"),
        ("services: [", "not valid YAML"), ("services: {}", "expected a list"), ("a: b: c", "not valid YAML"),
        ("services: [{uuid: 180D}]\nservices: []", "duplicate key"),
        ("services: [{}]", "exactly one of uuid, standard"),
        ("services: [{standard: glucos}]", "did you mean \"glucose\""),
        ("services: [{standard: glucose, uuid: 1808}]", "exactly one of uuid, standard"),
        ("services: [{standard: glucose, characteristics: []}]", "has its own characteristics"),
        (
            "services: [{standard: battery}, {standard: battery}]",
            "duplicate UUID 180F (line 1): give each of these services a name"
        ),
        ("---\na: 1\n---\nb: 2", "not valid YAML"), ("services: [{uuid: 18}]", "neither a UUID"),
        ("services: [{uuid: heart-rat}]", "did you mean \"heart-rate\""),
        ("services: [{uuid: 1800}]", "bluetoothd has the service"),
        ("services: [{uuid: [180D]}]", "expected a UUID"),
        ("services: [{uuid: 180D, primary: maybe}]", "expected true or false"),
        ("services: [{uuid: 180D}, {uuid: 180D}]", "give each of these services a name"),
        ("services: [{uuid: 180D, name: a}, {uuid: 180F, name: a}]", "duplicate name"),
        ("services: [{uuid: 180D, name: a b}]", "expected a name"),
        ("local-name: a name that is much too long\nservices: [{uuid: 180D}]", "name too long: 28 bytes (limit 26"),
        ("? {a: b}\n: c", "expected a key"),
        ("advertise: {manufacturer: {company: 70000}}\nservices: [{uuid: 180D}]", "0 to 65535"),
        ("advertise: {manufacturer: []}\nservices: [{uuid: 180D}]", "1...7 manufacturers"),
        (
            "advertise: {manufacturer: [{company: 1}, {company: 1}]}\nservices: [{uuid: 180D}]",
            "duplicate company"
        ),
        ("advertise: {tx-power: 4}\nservices: [{uuid: 180D}]", "expected true or false"),
        (
            "services: [{uuid: \(ChirpService.uuid), advertised: true}, {uuid: \(LabService.uuid), advertised: true}]",
            "(limit 28)"
        ),
        ("pairing: {io: keypad}\nservices: [{uuid: 180D}]", "invalid io \"keypad\""),
        ("pairing: {passkey: 123456}\nservices: [{uuid: 180D}]", "\"io\" is missing"),
        ("pairing: {io: keyboard, passkey: 1234567}\nservices: [{uuid: 180D}]", "expected a passkey: six digits"),
        ("pairing: {io: keyboard, passkey: 12x}\nservices: [{uuid: 180D}]", "expected a passkey: six digits"),
        ("pairing: {io: display, passkey: 123456}\nservices: [{uuid: 180D}]", "the kernel chooses the digits"),
        (one + "properties: [read]\n        authenticated: [write]", "do not include write"),
        (one + "name: x", "\"properties\" is missing"), (one + "properties: []", "at least one"),
        (one + "properties: [red]", "did you mean \"read\""), (one + "properties: read", "expected a list"),
        (one + "properties: [read]\n        value: 5", "invalid value \"5\""),
        (one + "properties: [read]\n        value: hex:0", "odd number"),
        (one + "properties: [read]\n        value: u8:256", "does not fit"),
        (one + "properties: [read]\n        value: text:\(String(repeating: "x", count: 513))", "513 bytes"),
        (one + "properties: [read]\n        value: {a: b}", "expected a value"),
        (one + "properties: [read]\n        write: {}", "do not include write"),
        (one + "properties: [read]\n        notify: {every: 1 s, value: empty}", "do not include notify"),
        (one + "properties: [read]\n        chirps: true", "do not include notify"),
        (one + "properties: [read]\n        encrypted: [write]", "do not include write"),
        (one + "properties: [read]\n        format: u7", "invalid format \"u7\""),
        (one + "properties: [read]\n        descriptors: [{uuid: valid-rang}]", "did you mean \"valid-range\""),
        (one + "properties: [read]\n        descriptors: [{value: u8:1}]", "\"uuid\" is missing"),
        (one + "properties: [read]\n        descriptors: [{uuid: 2901, value: text:Level}]", "use description"),
        (one + "properties: [read]\n        descriptors: [{uuid: 0x2902}]", "bluetoothd makes the descriptor 2902"),
        (one + "properties: [read]\n        faults: [{on: write, no-answer: true}]", "do not allow a write"),
        (one + "properties: [read]\n        faults: [{on: read, drop: true}]", "only on notify"),
        (one + "properties: [read]\n        faults: [{on: read}]", "exactly one of"),
        (one + "properties: [read]\n        faults: [{on: reed, drop: true}]", "did you mean \"read\""),
        (one + "properties: [read]\n        faults: [{on: read, error: no-such}]", "invalid ATT error"),
        (one + "properties: [read]\n        faults: [{on: read, error: 0}]", "invalid ATT error"),
        (one + "properties: [read]\n        faults: [{on: read, delay: 5}]", "a time such as"),
        (one + "properties: [read]\n        faults: [{on: read, delay: 2 d}]", "a time such as"),
        (one + "properties: [read]\n        faults: [{on: read, delay: 9999 s}]", "a time from 0 s to 3600 s"),
        (one + "properties: [notify]\n        notify: {value: empty}", "\"every\" is missing"),
        (one + "properties: [notify]\n        notify: {every: 1 s}", "exactly one of"),
        (one + "properties: [notify]\n        notify: {every: 1 s, value: empty, values: []}", "exactly one of"),
        (one + "properties: [notify]\n        notify: {every: 1 s, counter: {type: u9}}", "invalid number type \"u9\""),
        (one + "properties: [notify]\n        notify: {every: 1 s, counter: {type: u8, from: 256}}", "0 to 255"),
        (
            one + "properties: [notify]\n        notify: {every: 1 s, random-walk: {type: u8, from: 9, to: 1}}",
            "is below"
        ),
        (one + "properties: [notify]\n        split: 0", "from 1 to 512"),
        (one + "properties: [notify]\n        split: 5-2", "from 1 to 512"),
        (one + "properties: [notify]\n        split: 5-", "from 1 to 512"),
        (one + "properties: [read]\n        count-of: battery-level", "does not count"),
        (one + "properties: [write]\n        write: {lengths: 513}", "from 0 to 512"),
        (
            one + "properties: [write]\n        write: {echo: battery-level}",
            "has neither the notify nor the indicate property"
        ),
        (one + "properties: [write]\n        write: {echo: batery-level}", "did you mean \"battery-level\""),
        (one + "properties: [write]\n        write: {when: [{value: empty}]}", "exactly one of do, refuse"),
        (
            one + "properties: [write]\n        write: {when: [{value: empty, do: [jump]}]}",
            "invalid step without a value \"jump\""
        ),
        (
            one + "properties: [write]\n        write: {when: [{value: empty, do: [{jump: 1}]}]}",
            "unknown key \"jump\""
        ),
        (
            one + "properties: [write]\n        write: {when: [{any: true, do: [chirp: empty]}]}",
            "no characteristic has \"chirps: true\""
        ),
        ("services: [{uuid: 180D}]\nscenario: [{wait: 1 s, chirp: empty}]", "a step has exactly one key"),
        ("services: [{uuid: 180D}]\nscenario: [{add-service: hart-rate}]", "did you mean \"heart-rate\""),
        (
            "services: [{uuid: 180D}]\nscenario: [{wait-for: {occasion: connected, on: x}}]",
            "not about a characteristic"
        ),
        ("services: [{uuid: 180D}]\nscenario: [{repeat: {times: 0, steps: []}}]", "from 1 to 1000000"),
    ])
    func `each mistake is named`(text: String, part: String) throws {
        let error = try #require(mistake(in: text))
        #expect(error.description.contains(part), "\(error)")
        #expect(!error.description.contains("\n"), "\(error)")
    }

    @Test(arguments: ["/nowhere/x.yaml", "/", "/dev/null"])
    func `a file that cannot be read is reported`(path: String) throws {
        let error = #expect(throws: ProfileFileError.self) { try ProfileFile.read(path: path) }
        #expect(error?.description.hasPrefix("\(path): ") == true)
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func `a file may begin with a byte-order mark`(mark: String) throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UUID()).yaml"
        defer { unlink(path) }
        let text = mark + "name: marked\nservices: [{uuid: 180F, characteristics: []}]"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try ProfileFile.read(path: path).value.name == "marked")
    }

    @Test func `bytes that are no text, and files that are too large or too deep, are refused`() throws {
        let path = NSTemporaryDirectory() + "dittojay-test-\(UUID()).yaml"
        defer { unlink(path) }
        let url = URL(fileURLWithPath: path)
        try Data([0xFF, 0xFE, 0x00, 0x41]).write(to: url)
        #expect(throws: ProfileFileError.self) { try ProfileFile.read(path: path) }
        try Data(repeating: 0x20, count: YAMLText.maximumLength + 1).write(to: url)
        #expect(throws: ProfileFileError.self) { try ProfileFile.read(path: path) }
        _ = mistake(in: "a\u{0}b: c")
        for open in ["[", "{a: ", "- ", "? ", "[{"] { _ = mistake(in: String(repeating: open, count: 50_000)) }
        _ = mistake(in: (0..<900).map { String(repeating: " ", count: $0) + "a:\n" }.joined())
    }

    @Test func `a small file that unfolds into a huge one is refused`() throws {
        var text = "a0: &a0 [u8:1, u8:1, u8:1, u8:1, u8:1, u8:1, u8:1, u8:1, u8:1, u8:1]\n"
        for level in 1...9 {
            let elements = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(elements)]\n"
        }
        // Under a key that is looked at.
        _ = mistake(in: text.replacingOccurrences(of: "a9:", with: "services:"))
        let value = text.split(separator: "\n").map { "- \($0.drop { $0 != "&" })" }.joined(separator: "\n  ")
        _ = mistake(
            in: "services: [{uuid: 180D, characteristics: [{uuid: 2A37, properties: [read], value:\n  [\(value)]}]}]")
    }

    /// Changes examples at random, from a fixed seed; `scripts/fuzz` does much more of that. Whatever comes out is
    /// either a profile or an error, never a trap.
    @Test(arguments: Example.profiles)
    func `no file ends the program`(path: String) throws {
        let original = Array(try String(contentsOfFile: path, encoding: .utf8).utf8)
        let pieces = [
            "[", "]", "{", "}", ":", "- ", "\n", "  ", "&a ", "*a ", "'", "\"", "#", "|", ">", "%", "@", "!", "---\n",
            "-1",
            "0x", "99999999999999999999", "1e9", "é", "\u{1F426}", "\t", "~", "u8:", "hex:", "null", "?", ",", "0",
        ].map { Array($0.utf8) }
        var generator = SeededGenerator(seed: UInt64(original.count))
        func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(max(1, limit))) }
        var (profiles, errors) = (0, 0)
        for _ in 0..<250 {
            var bytes = original
            for _ in 0...below(3) {
                let place = below(bytes.count)
                switch below(5) {
                case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(20)))
                case 1: bytes.insert(contentsOf: pieces[below(pieces.count)], at: place)
                case 2: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 3:
                    bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(60))], at: below(bytes.count))
                default: bytes.removeLast(below(bytes.count / 2))
                }
                if bytes.isEmpty { bytes = [0x0A] }
            }
            do throws(ProfileFileError) {
                _ = try ProfileFile.parse(String(decoding: bytes, as: UTF8.self), file: "x.yaml").value.summary
                profiles += 1
            } catch {
                errors += 1
            }
        }
        // Both happen, or the mutations would test nothing.
        #expect(profiles > 0)
        #expect(errors > 10)
    }
}
