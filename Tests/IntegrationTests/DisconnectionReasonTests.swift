import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// Why a link has ended, as both sides see it. With BlueZ before 5.87 the kernel says it.
    @Suite(.withoutProxy("the central's own link")) struct DisconnectionReasons {
        @Test(.needsVirtualRadio, .bluetoothLab(sensor: .default))
        func `a link that is out of range is lost by a timeout`() async throws {
            let radio = try LabRadio.here
            try await expectEnd(.connectionTimeout, "timeout") { _, _ in
                try await radio.block("hci0", "hci1")
                return { try await radio.unblock("hci0", "hci1") }
            }
        }

        @Test(.bluetoothLab(sensor: .default))
        func `a link that the device ends is the device's`() async throws {
            try await expectEnd(.peripheralDisconnected, "local") { sensor, _ in
                try await sensor.command("disconnect")
                return {}
            }
        }

        @Test(.bluetoothLab(sensor: .default))
        func `a link that another program ends is this machine's`() async throws {
            try await expectEnd(.operationCancelled, "remote") { _, _ in
                try await Lab.here.cutLink(to: Lab.sensorAddress, on: Lab.centralAdapter)
                return {}
            }
        }

        @Test(.bluetoothLab(sensor: .default))
        func `a link that the central ends is the central's`() async throws {
            try await expectEnd(nil, "remote") { _, central in
                try await central.disconnect()
                return {}
            }
        }

        /// Ends the link of a central by `end`, and connects again after what that returns.
        ///
        /// - Parameters:
        ///   - code: of the error that the central gets; nil for none.
        ///   - reason: the sensor's.
        private func expectEnd(
            _ code: CBError.Code?, _ reason: String,
            by end: (Sensor, PlainCentral) async throws -> () async throws -> Void
        ) async throws {
            let (sensor, central) = (try Sensor.here, PlainCentral())
            try await central.connect(advertising: HeartRateService.uuid)
            try await central.discoverEverything()
            let position = sensor.position
            let back = try await end(sensor, central)
            #expect(
                try await central.disconnections.values(1) == [code.map { "CBError \($0.rawValue)" } ?? "asked for"])
            try await sensor.event(.disconnected, from: position) { $0.reason == reason }
            try await back()
            try await central.connect()
            try await central.disconnect()
        }

        /// The kernel ends the links of a controller before it switches it off, and bluetoothd reports both in that
        /// order.
        @Test(.bluetoothLab(sensor: .default))
        func `the power that ends a link is reported, and not the link`() async throws {
            let central = PlainCentral()
            try await central.connect(advertising: HeartRateService.uuid)
            for round in 1...3 {
                try await Lab.here.power(off: Lab.centralAdapter)
                #expect(try await central.states.values(2 * round).last == "off, disconnected")
                try await Lab.here.power(on: Lab.centralAdapter)
                #expect(try await central.states.values(2 * round + 1).last == "on, disconnected")
                try await central.connect()
            }
            #expect(central.disconnections.values == [])
            try await central.disconnect()
        }

        @Test(.needsVirtualRadio, .bluetoothLab(sensor: .default))
        func `bluejay says why a connection has ended`() async throws {
            let (sensor, radio) = (try Sensor.here, try LabRadio.here)
            for (isLost, text) in [
                (true, "the connection was lost: supervision timeout"),
                (false, "the device ended the connection"),
            ] {
                let listen = try ChildProcess(
                    "bluejay", ["listen", "Dittojay", "2A37", "--adapter", Lab.centralAdapter])
                try await listen.line(containing: "heart-rate-measurement", within: .seconds(60))
                if isLost {
                    try await radio.block("hci0", "hci1")
                } else {
                    try await sensor.command("disconnect")
                }
                #expect(try await listen.exitStatus(within: .seconds(60)) == 5, "\(listen.transcript)")
                #expect(listen.lines.last?.hasSuffix(": \(text)") == true, "\(listen.transcript)")
                if isLost { try await radio.unblock("hci0", "hci1") }
            }
        }
    }
}
