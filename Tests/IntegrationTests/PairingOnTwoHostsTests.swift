import BluetoothLab
import Foundation
import TestSupport
import Testing

extension OnTwoHosts {
    /// Pairing by each method, where either side has a bluetoothd and an agent of its own.
    @Suite(.thorough) struct Pairing {
        /// What both sides can do, and how they pair then.
        enum Method: CaseIterable {
            case comparison, passkeyOfSensor, passkeyOfCentral, justWorks

            var sensor: String {
                switch self {
                case .passkeyOfSensor: "{io: display}"
                case .passkeyOfCentral: "{io: keyboard}"
                case .comparison: "{io: yes-no}"
                case .justWorks: "{io: none}"
                }
            }

            var name: String {
                switch self {
                case .passkeyOfSensor, .passkeyOfCentral: "passkey entry"
                case .comparison: "numeric comparison"
                case .justWorks: "Just Works"
                }
            }
        }

        private func withLock(_ pairing: String, _ body: (Sensor) async throws -> Void) async throws {
            let file = "/run/lock.yaml"
            try await Lab.runAtSensor("sh", "-c", "printf %s \"$0\" >\(file)", Lock.profile(pairing: pairing))
            try await forgetEachOtherOnTwoHosts()
            try await withSensor("--profile", file, body: body)
        }

        private func pair(_ arguments: String...) throws -> ChildProcess {
            try ChildProcess("bluejay", ["pair", Lab.sensorAddress, "--json"] + arguments)
        }

        /// Answers what either side asks; the wrong answer is another passkey, or that the numbers differ.
        private func run(_ method: Method, at lock: Sensor, isRight: Bool = true) async throws -> ChildProcess {
            func answer(_ passkey: String) -> String { isRight ? passkey : Lock.another(passkey) }
            switch method {
            case .passkeyOfSensor:
                let pairing = try pair("--passkey", "-")
                try pairing.type(
                    answer(
                        try Lock.passkey(
                            in: try await lock.event(.passkeyDisplayed) { $0.central == Lab.centralAddress })))
                return pairing
            case .passkeyOfCentral:
                let pairing = try pair()
                try await lock.event(.passkeyRequested) { $0.central == Lab.centralAddress }
                let shown = try Lock.passkey(in: try await pairing.line(containing: #""event":"passkey""#))
                try await lock.command("passkey", answer(shown))
                return pairing
            case .comparison:
                let pairing = try pair("--yes")
                let here = try Lock.passkey(in: try await pairing.line(containing: #""event":"comparison""#))
                let there = try Lock.passkey(
                    in: try await lock.event(.comparisonRequested) { $0.central == Lab.centralAddress })
                #expect(here == there)
                try await lock.command("confirm", isRight ? "yes" : "no")
                return pairing
            case .justWorks: return try pair()
            }
        }

        @Test(arguments: Method.allCases)
        func `a bond outlasts bluetoothd on either side, whose method was`(_ method: Method) async throws {
            try await withLock(method.sensor) { lock in
                let pairing = try await run(method, at: lock)
                #expect(try await pairing.exitStatus(within: .seconds(60)) == 0, "\(pairing.transcript)")
                #expect(pairing.transcript.contains(#""method":"\#(method.name)""#), "\(pairing.transcript)")
                try await lock.event(.paired) { $0.central == Lab.centralAddress }
                try await Lab.here.bluetoothd(.restart)
                let position = lock.position
                try await Lab.runAtSensor("lab-bluetoothd", "restart")
                try await lock.event(.advertising, from: position, within: .seconds(60))
                // The keys are there: nothing is asked, and what an authenticated link may read is read.
                let again = try pair()
                #expect(try await again.exitStatus(within: .seconds(60)) == 0, "\(again.transcript)")
                guard method != .justWorks else { return }
                for characteristic in [Lock.authenticated, Lock.secure] {
                    try await Lab.here.bluejay("read", Lab.sensorAddress, characteristic)
                }
            }
        }

        @Test(arguments: [
            (Method.passkeyOfSensor, Int32(12)), (.passkeyOfCentral, 12), (.comparison, 13),
        ])
        func `a wrong answer is told at once by both sides`(_ method: Method, _ status: Int32) async throws {
            try await withLock(method.sensor) { lock in
                let pairing = try await run(method, at: lock, isRight: false)
                #expect(try await pairing.exitStatus(within: .seconds(20)) == status, "\(pairing.transcript)")
                try await lock.event(.pairingFailed, within: .seconds(20)) { $0.central == Lab.centralAddress }
                let known = try await Lab.runAtSensor("bluetoothctl", "devices", "Paired")
                #expect(known.isEmpty, "\(known)")
            }
        }
    }
}
