import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// Pairing by passkey and by comparison, in both roles.
    @Suite struct Pairing {
        private let sensor = Lab.sensorAddress

        /// Runs a test with a lock that pairs in a way.
        ///
        /// - Parameter pairing: as profile files have it: `{io: display}`.
        private func withLock(_ pairing: String, _ body: (Sensor) async throws -> Void) async throws {
            let file = try Self.profile(pairing)
            defer { unlink(file) }
            let lab = try Lab.here
            try await lab.forgetEachOther()
            try await withSensor("--profile", file, body: body)
            try await lab.forgetEachOther()
        }

        /// Writes the profile of a lock to a file.
        private static func profile(_ pairing: String) throws -> String {
            let file = NSTemporaryDirectory() + "/lock-\(UUID().uuidString.prefix(8)).yaml"
            try Lock.profile(pairing: pairing).write(toFile: file, atomically: false, encoding: .utf8)
            return file
        }

        private func pair(_ arguments: String...) throws -> ChildProcess {
            try ChildProcess("bluejay", ["pair", sensor, "--json", "--adapter", Lab.centralAdapter] + arguments)
        }

        private func expect(_ pairing: ChildProcess, ends status: Int32, _ text: String) async throws {
            #expect(try await pairing.exitStatus(within: .seconds(60)) == status, "\(pairing.transcript)")
            #expect(pairing.transcript.contains(text), "\(pairing.transcript)")
        }

        /// What needs an authenticated link, and one by LE Secure Connections, can be read.
        private func expectAuthenticatedLink() async throws {
            for characteristic in [Lock.authenticated, Lock.secure] {
                try await Lab.here.bluejay("read", sensor, characteristic)
            }
        }

        // MARK: Methods

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a passkey that the sensor shows is entered`() async throws {
            try await withLock("{io: display}") { lock in
                let pairing = try pair("--passkey", "-")
                try pairing.type(
                    try Lock.passkey(in: try await lock.event(.passkeyDisplayed) { $0.central == Lab.centralAddress }))
                try await expect(pairing, ends: 0, #""method":"passkey entry""#)
                try await lock.event(.paired) { $0.central == Lab.centralAddress }
                try await expectAuthenticatedLink()
                // Once is enough.
                #expect(lock.events.count { $0.kind == .passkeyDisplayed } == 1)
                try await expect(try pair(), ends: 0, sensor)
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a passkey that the central shows is entered at the sensor`() async throws {
            try await withLock("{io: keyboard}") { lock in
                let pairing = try pair()
                try await lock.event(.passkeyRequested) { $0.central == Lab.centralAddress }
                let shown = try Lock.passkey(in: try await pairing.line(containing: #""event":"passkey""#))
                try await lock.command("passkey", shown)
                try await expect(pairing, ends: 0, #""method":"passkey entry""#)
                try await expectAuthenticatedLink()
                try await lock.command("passkey", shown, expecting: 8)
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `numbers are compared`() async throws {
            try await withLock("{io: yes-no}") { lock in
                let pairing = try pair("--yes")
                let here = try Lock.passkey(in: try await pairing.line(containing: #""event":"comparison""#))
                let there = try Lock.passkey(
                    in: try await lock.event(.comparisonRequested) { $0.central == Lab.centralAddress })
                #expect(here == there)
                try lock.type("confirm yes")
                try await expect(pairing, ends: 0, #""method":"numeric comparison""#)
                try await expectAuthenticatedLink()
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `Just Works does not authenticate`() async throws {
            try await withLock("{io: none}") { lock in
                try await expect(try pair(), ends: 0, #""method":"Just Works""#)
                try await lock.event(.paired) { $0.central == Lab.centralAddress }
                let read = try ChildProcess(
                    "bluejay", ["read", sensor, Lock.authenticated, "--adapter", Lab.centralAdapter])
                // The request is refused, or the sensor ends the link.
                #expect([5, 6].contains(try await read.exitStatus(within: .seconds(60))), "\(read.transcript)")
            }
        }

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a bond outlasts both programs and bluetoothd`() async throws {
            let lab = try Lab.here
            try await withLock("{io: display}") { lock in
                let pairing = try pair("--passkey", "-")
                try pairing.type(try Lock.passkey(in: try await lock.event(.passkeyDisplayed)))
                try await expect(pairing, ends: 0, "paired")
                let position = lock.position
                try await lab.bluetoothd(.restart)
                try await lock.event(.advertising, from: position, within: .seconds(60))
                try await expectAuthenticatedLink()
                #expect(!lock.events.dropFirst(position).contains { $0.passkey != nil || $0.kind == .passkeyRequested })
            }
        }

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `Bluejay asks the program for the passkey`() async throws {
            try await withLock("{io: display}") { lock in
                let central = try await Central()
                let found = try await central.find(Lock.service).peripheralIdentifier
                await #expect(throws: CBPairingError.rejected) {
                    try await central.bluejay.pair(found, capability: .keyboard) { _ in .no }
                }
                let position = lock.position
                try await central.bluejay.pair(found, capability: .keyboard) { request in
                    let event = try? await lock.event(.passkeyDisplayed, from: position)
                    let passkey = event?.passkey.flatMap { CBPasskey($0) }
                    guard request == .enterPasskey, let passkey else { return .no }
                    return .passkey(passkey)
                }
                try await lock.event(.paired) { $0.central == Lab.centralAddress }
                try await expectAuthenticatedLink()
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `bluetoothctl enters the passkey that the sensor shows`() async throws {
            try await withLock("{io: display}") { lock in
                let control = try ChildProcess("bluetoothctl", ["--agent", "KeyboardOnly"])
                for line in ["select \(Lab.centralAddress)", "menu scan", "transport le", "back", "scan on"] {
                    try control.type(line)
                }
                try await control.line(containing: "Device \(sensor)", within: .seconds(60))
                try control.type("scan off")
                try control.type("pair \(sensor)")
                let shown = try Lock.passkey(
                    in: try await lock.event(.passkeyDisplayed) { $0.central == Lab.centralAddress })
                try await control.line(containing: "Request passkey")
                try control.type(shown)
                try await control.line(containing: "Pairing successful")
                try await lock.event(.paired) { $0.central == Lab.centralAddress }
                try control.type("quit")
                _ = try await control.exitStatus()
                try await expectAuthenticatedLink()
            }
        }

        // MARK: Asking

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a terminal is asked`() async throws {
            let words = ["pair", sensor, "--json", "--adapter", Lab.centralAdapter]
            try await withLock("{io: display}") { lock in
                let pairing = try ChildProcess(inTerminal: "bluejay", words)
                try pairing.type(
                    try Lock.passkey(in: try await lock.event(.passkeyDisplayed) { $0.central == Lab.centralAddress }))
                try await expect(pairing, ends: 0, "passkey that the device shows: ")
                try await expectAuthenticatedLink()
            }
            try await withLock("{io: yes-no}") { lock in
                let pairing = try ChildProcess(inTerminal: "bluejay", words)
                try await pairing.line(containing: #""event":"comparison""#)
                try await lock.event(.comparisonRequested)
                try pairing.type(TerminalKey.interrupt)
                try await expect(pairing, ends: 130, "does the device show the same? yes or no: ")
                try await lock.event(.pairingFailed)
            }
        }

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a desktop is asked where there is no terminal`() async throws {
            let lab = try Lab.here
            let bus = try ChildProcess("dbus-daemon", ["--session", "--nofork", "--print-address"])
            let environment = ["DBUS_SESSION_BUS_ADDRESS": try await bus.line(containing: "unix:")]
            let desktop = try await FakeDesktop(at: environment.values.joined())
            let pairing = ["pair", sensor, "--json", "--adapter", Lab.centralAdapter]
            for io in ["yes-no", "display"] {
                try await lab.forgetEachOther()
                let file = try Self.profile("{io: \(io)}")
                defer { unlink(file) }
                let lock = try ChildProcess(
                    "dittojay", ["run", "--json", "--no-socket", "--adapter", Lab.sensorAdapter, "--profile", file],
                    environment: environment)
                try await lock.line(containing: #""event":"advertising""#, within: .seconds(60))
                let central = try ChildProcess(
                    "bluejay", pairing + (io == "display" ? ["--passkey", "-"] : []), environment: environment)
                let digits: String
                if io == "display" {
                    let shown = try await desktop.shown.next()
                    digits = try Lock.passkey(in: try await lock.line(containing: "passkey-displayed"))
                    #expect(shown.program == "dittojay" && shown.summary == "Enter \(digits) on the central")
                    try central.type(digits)
                } else {
                    let questions = [try await desktop.shown.next(), try await desktop.shown.next()]
                    digits = try Lock.passkey(in: try await lock.line(containing: "comparison-requested"))
                    #expect(questions.map(\.program).sorted() == ["bluejay", "dittojay"])
                    for question in questions {
                        #expect(question.summary.contains(digits), "\(question.summary)")
                        await desktop.choose("yes", of: question.number)
                    }
                }
                try await expect(central, ends: 0, #""paired":"\#(sensor)""#)
                try await lock.line(containing: #""event":"paired""#)
                // All that were shown: the two that were answered, or the one.
                for _ in 0..<(io == "display" ? 1 : 2) { _ = try await desktop.withdrawn.next() }
                try await expectAuthenticatedLink()
                #expect(try await lock.interrupt() == 0)
            }
            try await lab.forgetEachOther()
            bus.signal(SIGTERM)
            _ = try await bus.exitStatus()
        }

        // MARK: Failures

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a wrong passkey is said to be wrong`() async throws {
            try await withLock("{io: display}") { lock in
                let pairing = try pair("--passkey", "-")
                try pairing.type(Lock.another(try Lock.passkey(in: try await lock.event(.passkeyDisplayed))))
                try await expect(pairing, ends: 12, "The passkey is wrong")
                try await lock.event(.pairingFailed) { $0.message?.contains("the passkey is wrong") == true }
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `the profile's passkey is entered without a question`() async throws {
            // What the central shows is another one, but once in a million.
            try await withLock("{io: keyboard, passkey: 001234}") { lock in
                let pairing = try pair()
                let shown = try Lock.passkey(in: try await pairing.line(containing: #""event":"passkey""#))
                try await expect(pairing, ends: shown == "001234" ? 0 : 12, "pair")
                #expect(!lock.events.contains { $0.kind == .passkeyRequested })
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `numbers that differ are told apart`() async throws {
            try await withLock("{io: yes-no}") { lock in
                let pairing = try pair("--yes")
                try await lock.event(.comparisonRequested)
                try await lock.command("confirm", "no")
                try await expect(pairing, ends: 13, "The numbers do not match")
                try await lock.event(.pairingFailed) { $0.message?.contains("dittojay refused") == true }
            }
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `a script is not kept waiting`() async throws {
            try await withLock("{io: yes-no}") { lock in
                try await expect(try pair(), ends: 10, "use --yes, or a terminal")
                try await lock.event(.pairingFailed)
                try await expect(try pair("--passkey", "123456"), ends: 12, "The passkey is wrong")
            }
            try await withLock("{io: display}") { _ in
                try await expect(try pair(), ends: 10, "use --passkey, or a terminal")
                // Neither can enter anything.
                try await expect(try pair("--io", "yes-no"), ends: 11, "refused to pair")
            }
        }

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `nobody answers in time`() async throws {
            try await withLock("{io: keyboard}") { lock in
                try await expect(try pair(), ends: 14, "30 seconds")
                try await lock.event(.pairingFailed) { $0.message?.contains("was not answered in time") == true }
            }
        }

        @Test(.thorough, .withoutProxy("pairing, which is the proxy's with the sensor"))
        func `lost keys are told apart`() async throws {
            let lab = try Lab.here
            try await withLock("{io: none}") { lock in
                try await expect(try pair(), ends: 0, "paired")
                try await lock.event(.paired)
                try await lab.forget(Lab.centralAddress, on: Lab.sensorAdapter)
                try await expect(try pair(), ends: 15, "lost the keys of its pairing")
                try await lab.bluejay("unpair", sensor)
                try await expect(try pair(), ends: 0, "paired")
                try await lab.forget(sensor, on: Lab.centralAdapter)
                try await expect(try pair(), ends: 16, "has keys of a pairing that this machine has lost")
            }
        }
    }
}
