import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    @Suite struct Values {
        /// The most that bluetoothd's own GATT server takes in one write: BlueZ 5.66 counts the attribute's handle
        /// as part of the value (`check_length` in src/shared/gatt-server.c), and refuses more than 512 in all.
        static let longestWriteRequest = 510
        /// The same for a long write, whose requests have an offset besides.
        static let longestPreparedWrite = 508

        @Test func `the sensor location is written and read back`() async throws {
            try await withSensor { sensor, central in
                #expect(try await central.read(.sensorLocation, as: UInt8.self) == 1)
                try await central.write(Data([2]), to: .sensorLocation)
                #expect(try await central.read(.sensorLocation, as: UInt8.self) == 2)
                try await sensor.event(.written) { $0.value == Data([2]) }
            }
        }

        @Test func `the control point refuses what it does not know with its ATT error`() async throws {
            try await withSensor { sensor, central in
                let error = await #expect(throws: CBATTError.self) {
                    try await central.write(Data([2]), to: .controlPoint)
                }
                #expect(error?.code.rawValue == HeartRateService.ControlPoint.notSupported)
                try await central.write(Data([HeartRateService.ControlPoint.resetEnergyExpended]), to: .controlPoint)
            }
        }

        @Test func `long values are written and read whole`() async throws {
            try await withSensor("--profile", "lab") { _, central in
                for length in [0, 1, 20, 181, 244, Self.longestWriteRequest] {
                    let value = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
                    try await central.write(value, to: .store)
                    #expect(try await central.read(.store, as: Data.self) == value)
                }
            }
        }

        /// With a small MTU a long value takes several requests: Prepare Write and Read Blob.
        @Test func `long values take several requests where the MTU is small`() async throws {
            let lab = try Lab.here
            let settings = try String(contentsOfFile: Lab.bluetoothdSettings, encoding: .utf8)
            let small = settings.replacingOccurrences(of: "[GATT]", with: "[GATT]\nExchangeMTU = 64")
            try #require(small != settings)
            try small.write(toFile: Lab.bluetoothdSettings, atomically: false, encoding: .utf8)
            try await lab.bluetoothd(.restart)
            try await withSensor("--profile", "lab") { _, central in
                for length in [61, 62, 200, Self.longestPreparedWrite] {
                    let value = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) })
                    try await central.write(value, to: .store)
                    #expect(try await central.read(.store, as: Data.self) == value)
                }
            }
            try settings.write(toFile: Lab.bluetoothdSettings, atomically: false, encoding: .utf8)
            try await lab.bluetoothd(.restart)
        }

        @Test func `a value of more than 512 bytes is refused`() async throws {
            try await withSensor("--profile", "lab") { _, central in
                let error = await #expect(throws: CBATTError.self) {
                    try await central.write(Data(count: 513), to: .store)
                }
                #expect(error?.code == .invalidAttributeValueLength)
            }
        }

        @Test func `writes without response all arrive before the next request`() async throws {
            try await withSensor("--profile", "lab") { _, central in
                for number in 0..<250 {
                    try await central.write(
                        Data([UInt8(truncatingIfNeeded: number)]), to: .sink, type: .withoutResponse)
                }
                // A request after the commands: by its answer they have all arrived.
                let count = LabService.SinkCount(bytes: try await central.read(.sinkCount, as: Data.self))
                #expect(count == LabService.SinkCount(writes: 250, byteCount: 250))
            }
        }

        /// What is sent in pieces of the reported length arrives whole: bluetoothd 5.66 drops longer ones silently.
        @Test func `what is written in pieces of the reported length arrives whole`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", "lab")
            let central = PlainCentral()
            try await central.connect(advertising: HeartRateService.uuid)
            try await central.discoverEverything()
            let service = try await central.service(CBUUID(string: LabService.uuid))
            let sink = try service.found(CBUUID(string: LabService.sink))
            let length = try await central.on { try central.peripheral.maximumWriteValueLength(for: .withoutResponse) }
            let total = 3 * length + 7
            for start in stride(from: 0, to: total, by: length) {
                try await central.on {
                    let piece = Data(count: min(length, total - start))
                    try central.peripheral.writeValue(piece, for: sink, type: .withoutResponse)
                }
            }
            // The answer to a request after the commands says that they have arrived.
            let count = try await central.read(service.found(CBUUID(string: LabService.sinkCount)))
            #expect(LabService.SinkCount(bytes: count ?? Data()) == .init(writes: 4, byteCount: UInt64(total)))
            #expect(length == 510, "there is no need to split them further")
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `the protected text is read after pairing`() async throws {
            try await withSensor { _, central in
                let text = try await central.read(.pairingText, as: String.self)
                #expect(!text.isEmpty)
                try await Lab.here.waitUntilPaired(Lab.sensorAddress, on: Lab.centralAdapter)
            }
            try await Lab.here.forget(Lab.sensorAddress, on: Lab.centralAdapter)
            try await Lab.here.forget(Lab.centralAddress, on: Lab.sensorAdapter)
        }

        @Test func `a missing service and characteristic are errors`() async throws {
            try await withSensor { _, central in
                let service = ServiceIdentifier(uuid: "1809")
                let missing = CharacteristicIdentifier(uuid: "2A1C", service: service)
                await #expect(throws: BluejayError.self) { try await central.read(missing, as: Data.self) }
                let other = CharacteristicIdentifier(
                    uuid: "2A1C", service: ServiceIdentifier(uuid: HeartRateService.uuid))
                await #expect(throws: BluejayError.self) { try await central.read(other, as: Data.self) }
                // The queue goes on.
                _ = try await central.read(.sensorLocation, as: UInt8.self)
            }
        }

        private func withSensor(_ options: String..., body: (Sensor, Central) async throws -> Void) async throws {
            let sensor = try await Sensor(options)
            let central = try await Central()
            try await central.connectToSensor()
            try await body(sensor, central)
            try await central.disconnect()
            try await sensor.stop()
        }
    }
}
