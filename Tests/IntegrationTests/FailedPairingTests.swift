import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// What the programs report when pairing fails, which bluetoothd (5.66) does not report.
    @Suite struct FailedPairing {
        private let sensor = Lab.sensorAddress

        @Test func `the side that has lost its keys is named`() async throws {
            let lab = try Lab.here
            try await lab.forgetEachOther()
            let dittojay = try await Sensor()
            try await bluejay("read", sensor, PairingService.text)
            // The sensor loses them.
            try await lab.forget(Lab.centralAddress, on: Lab.sensorAdapter)
            let read = try await bluejay("read", sensor, "2A38", expecting: 5)
            #expect(read.transcript.contains("lost the keys of its pairing"), "\(read.transcript)")
            // What is advised helps.
            try await bluejay("unpair", sensor)
            try await bluejay("read", sensor, PairingService.text)
            // The central loses them.
            try await lab.forget(sensor, on: Lab.centralAdapter)
            let position = dittojay.position
            for _ in 0..<2 {
                // What needs no pairing may be read before the sensor ends the link. What needs it is refused with the
                // request (6), or the link ends before there is one (5).
                let read = try ChildProcess(
                    "bluejay", ["read", sensor, PairingService.text, "--adapter", Lab.centralAdapter])
                let status = try await read.exitStatus(within: .seconds(60))
                #expect([5, 6].contains(status))
                #expect(read.transcript.contains("refused to pair"), "\(read.transcript)")
            }
            try await dittojay.event(.pairingFailed, from: position) {
                $0.message?.contains("dittojay unpair") == true
            }
            try await dittojay.stop()
            try await lab.forgetEachOther()
        }

        @Test func `a passkey is said to be wanted`() async throws {
            let lab = try Lab.here
            try await lab.forgetEachOther()
            let python = try #require(ProcessInfo.processInfo.environment["LAB_PYTHON"])
            // The lab runs everything in the repository's root.
            let peripheral = try ChildProcess(
                python, ["Fixtures/peers/locked_peripheral.py", "--adapter", Lab.sensorAdapter])
            try await peripheral.line(containing: "\"ready\"", within: .seconds(60))
            let read = try await bluejay("read", sensor, "2A38", expecting: 6)
            #expect(read.transcript.contains("with a passkey, which this program cannot enter"), "\(read.transcript)")
            _ = try await peripheral.interrupt()
            try await lab.forgetEachOther()
        }

        @discardableResult
        private func bluejay(_ arguments: String..., expecting status: Int32 = 0) async throws -> ChildProcess {
            try await Lab.here.bluejay(arguments, expecting: status, within: .seconds(60))
        }
    }
}
