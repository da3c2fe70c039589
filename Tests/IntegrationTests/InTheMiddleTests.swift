import BluetoothLab
import Foundation
import TestSupport
import Testing

extension OnThreeHosts {
    /// An attacker between two devices that pair: on a host of its own it offers what the sensor offers, and pairs with
    /// both sides.
    @Suite(.needsVirtualRadio) struct InTheMiddle {
        private static let file = "/tmp/lock.yaml"
        private static let adapter = "hci0"
        /// Far below the 30 s after which a user is told who waits for the other one.
        private static let atOnce: Duration = .seconds(8)

        @Test func `users who see different numbers say no, and both sides learn it at once`() async throws {
            let (sensorHost, attacker) = (Lab.sensorHost, Lab.thirdHost)
            let sensor = try await lock(on: sensorHost)
            let copy = try await lock(on: attacker)

            // The user takes the copy for the sensor, while the attacker pairs with the sensor, and says yes to all.
            let user = try ChildProcess(inTerminal: "bluejay", pair(Lab.thirdAddress))
            let attack = try ChildProcess(on: attacker, "bluejay", pair(Lab.sensorAddress) + ["--yes"])
            let (shownToUser, shownByCopy) = (try await number(in: user), try await number(askedBy: copy))
            let (shownToAttacker, shownBySensor) = (try await number(in: attack), try await number(askedBy: sensor))
            #expect(shownToUser == shownByCopy && shownToAttacker == shownBySensor)
            // They are the same once in a million runs.
            #expect(shownToUser != shownBySensor)
            try await confirm("yes", on: attacker)

            var start = ContinuousClock.now
            try user.type("no")
            #expect(try await user.exitStatus(within: .seconds(60)) == 13, "\(user.transcript)")
            try await copy.line(containing: #""event":"pairing-failed""#)
            #expect(ContinuousClock.now - start < Self.atOnce)
            #expect(user.transcript.contains("the answer was no"), "\(user.transcript)")

            start = .now
            try await confirm("no", on: sensorHost)
            let refusal = try await sensor.line(containing: #""event":"pairing-failed""#)
            #expect(refusal.contains("it wants a number confirmed to pair, and dittojay refused"), "\(refusal)")
            #expect(try await attack.exitStatus(within: .seconds(60)) == 13, "\(attack.transcript)")
            #expect(ContinuousClock.now - start < Self.atOnce)

            for host in [sensorHost, nil, attacker] {
                let bonds = try ChildProcess(on: host, "bluetoothctl", ["devices", "Paired"])
                #expect(try await bonds.exitStatus() == 0)
                #expect(!bonds.transcript.contains("Device"), "\(bonds.transcript)")
            }
            for (host, lock) in [(nil, Lab.thirdAddress), (attacker, Lab.sensorAddress)] {
                let words = ["read", lock, Lock.secure, "--adapter", Self.adapter]
                let read = try ChildProcess(on: host, "bluejay", words)
                // The request is refused, or the lock ends the link.
                #expect([5, 6].contains(try await read.exitStatus(within: .seconds(60))), "\(read.transcript)")
                #expect(!read.transcript.contains("safe"), "\(read.transcript)")
            }
            for lock in [sensor, copy] { #expect(try await lock.interrupt(within: .seconds(60)) == 0) }
        }

        /// A lock that wants numbers compared, and advertises.
        private func lock(on host: String?) async throws -> ChildProcess {
            let writing = try ChildProcess(
                on: host, "sh",
                ["-c", "printf %s \"$1\" >\"$2\"", "sh", Lock.profile(pairing: "{io: yes-no}"), Self.file])
            #expect(try await writing.exitStatus() == 0, "\(writing.transcript)")
            let lock = try ChildProcess(
                on: host, "dittojay", ["run", "--json", "--adapter", Self.adapter, "--profile", Self.file])
            try await lock.line(containing: #""event":"advertising""#, within: .seconds(60))
            return lock
        }

        private func pair(_ address: String) -> [String] { ["pair", address, "--json", "--adapter", Self.adapter] }

        private func confirm(_ answer: String, on host: String?) async throws {
            let command = try ChildProcess(on: host, "dittojay", ["confirm", answer])
            #expect(try await command.exitStatus(within: .seconds(60)) == 0, "\(command.transcript)")
        }

        /// The digits that a `bluejay pair` shows.
        private func number(in pairing: ChildProcess) async throws -> String {
            try Lock.passkey(in: try await pairing.line(containing: #""event":"comparison""#, within: .seconds(60)))
        }

        /// The digits that a lock shows.
        private func number(askedBy lock: ChildProcess) async throws -> String {
            try Lock.passkey(
                in: try await lock.line(containing: #""event":"comparison-requested""#, within: .seconds(60)))
        }

    }
}
