import BlueZ
import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Posix
import Testing

extension InTheLab {
    /// What releases of BlueZ do differently, so that a new one that does something else again is noticed. The list for
    /// people is `docs/bluez-versions.md`.
    @Suite struct Quirks {
        /// What has been seen: 5.66 as Debian 12 has it, 5.82 and 5.87. A release in between may do either.
        private func isNew() async throws -> Bool? {
            let version = try await Lab.here.bluezVersion()
            if version <= BlueZVersion(5, 66) { return false }
            return version >= BlueZVersion(5, 82) ? true : nil
        }

        /// 5.66 counts the attribute's handle as part of the value.
        @Test(arguments: [511, 512])
        func `the server takes writes of 512 bytes`(length: Int) async throws {
            try await withPlain(["--profile", "lab"], advertising: "180D") { _, central in
                let store = try await central.service(CBUUID(string: "025D0000-F26A-4EB9-A53F-F1B453D5E20B"))
                    .found(CBUUID(string: "025D0001-F26A-4EB9-A53F-F1B453D5E20B"))
                let text = String(repeating: "x", count: length)
                let outcome = await failure {
                    try await central.write(text, to: store)
                    #expect(try await central.text(store) == text)
                }
                let refused = "CBATTError \(CBATTError.Code.invalidAttributeValueLength.rawValue)"
                switch try await isNew() {
                case true?: #expect(outcome == "nothing")
                case false?: #expect(outcome == refused)
                case nil: #expect([refused, "nothing"].contains(outcome))
                }
            }
        }

        /// 5.66 silently drops longer ones, hence `maximumWriteValueLength` is 510.
        @Test(arguments: [510, 511, 512])
        func `the server takes writes without response of 512 bytes`(length: Int) async throws {
            try await withPlain(["--profile", "lab"], advertising: HeartRateService.uuid) { _, central in
                let before = try await self.sinkCount(central)
                try await Lab.here.writeCommand(
                    Data(count: length), to: LabService.sink, of: Lab.sensorAddress, on: Lab.centralAdapter)
                let arrived = try await self.sinkCount(central).byteCount - before.byteCount
                switch try await isNew() {
                case false? where length > 510: #expect(arrived == 0)
                case nil: #expect([0, UInt64(length)].contains(arrived))
                default: #expect(arrived == length)
                }
            }
        }

        private func sinkCount(_ central: PlainCentral) async throws -> LabService.SinkCount {
            let count = try await central.service(CBUUID(string: LabService.uuid))
                .found(CBUUID(string: LabService.sinkCount))
            return try #require(LabService.SinkCount(bytes: try await central.read(count) ?? Data()))
        }

        // MARK: Links

        /// An interrupted program does not wait for the end of its link, for which bluetoothd takes 2 to 3 s. Meanwhile
        /// it says that the device is connected, and turns no notifications on.
        @Test func `a program that follows an interrupted one gets a link that lasts`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            for _ in 0..<3 {
                let listen = try ChildProcess(
                    "bluejay", ["listen", "Dittojay", "2A37", "--adapter", Lab.centralAdapter])
                try await listen.line(containing: "heart-rate-measurement", within: .seconds(60))
                #expect(try await listen.interrupt() == 0)
            }
            try await sensor.stop()
        }

        // MARK: Scans

        /// 5.87 ends with SIGSEGV when a program asks for services and a device is seen that advertises any; hence this
        /// package does not ask it.
        @Test func `bluetoothd survives a filter for services`() async throws {
            let lab = try Lab.here
            try await lab.forgetEachOther()
            let sensor = try await Sensor()
            let version = try await lab.bluezVersion()
            let survives = try await lab.bluetoothdSurvivesScan(
                for: HeartRateService.uuid, finding: Lab.sensorAddress, on: Lab.centralAdapter)
            #expect(survives == (version != BlueZVersion(5, 87)))
            // The lab starts it again; this waits for that.
            try await lab.bluetoothd(.start)
            try await sensor.stop()
        }

        /// For a device that was connected, bluetoothd reports the services of that connection. Its own filter goes by
        /// what is advertised, but 5.87 cannot be asked for services, and a device that is paired is not forgotten for
        /// that.
        @Test func `a paired device is found by a service that it advertises only now`() async throws {
            let other = ["--profile", Lab.profile("changing")]
            try await withPlain(other, advertising: Changing.anchor.uuidString) { _, central in
                let secret = try await central.service(Changing.anchor).found(Changing.secret)
                #expect(try await central.text(secret) == "between us")
                try await Lab.here.waitUntilPaired(Lab.sensorAddress, on: Lab.centralAdapter)
            }
            let sensor = try await Sensor()
            let central = try await Central()
            let isFound: Bool = try await answer("the end of the scan") { [bluejay = central.bluejay] done in
                bluejay.scan(
                    duration: 8, serviceIdentifiers: [ServiceIdentifier(uuid: ChirpService.uuid)],
                    discovery: { _, _ in .stop }, stopped: { found, _ in done(!found.isEmpty) })
            }
            #expect(try await isFound == (Lab.here.bluezVersion() < BlueZVersion(5, 87)))
            try await sensor.stop()
            try await Lab.here.forgetEachOther()
        }

        // MARK: Advertising

        /// When an adapter starts or stops being discoverable, bluetoothd forgets which program waits for the
        /// registration of an advertisement. It never answers, and goes on advertising when the program has ended.
        @Test func `an advertisement is registered while the adapter becomes discoverable`() async throws {
            let lab = try Lab.here
            for _ in 0..<5 {
                let sensor = try await lab.whileDiscoverableChanges(on: Lab.sensorAdapter) { try await Sensor() }
                try await sensor.stop()
            }
            #expect(try await lab.advertisements(on: Lab.sensorAdapter) == 0)
        }

        /// bluetoothd itself uses this service; programs have it as any other, though 5.82 has a setting against that
        /// (`ExportClaimedServices`).
        @Test func `the battery service is for programs too`() async throws {
            try await withPlain(["--profile", Lab.profile("thermometer")], advertising: "181A") { _, central in
                let level = try await central.service(CBUUID(string: "180F")).found(CBUUID(string: "2A19"))
                #expect(try await central.read(level) == Data([100]))
                try await central.setNotify(true, level)
            }
        }

        /// A central that comes back looks for new services, but not below those that it knows (5.66).
        @Test func `a service below others is found by a paired central that comes back`() async throws {
            let next = StateFolder.path() + "/handles/" + Lab.sensorAddress.filter(\.isHexDigit)
            func setNextHandle(_ handle: Int) throws {
                try FileManager.default.createDirectory(
                    atPath: (next as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try "\(handle)\n".write(toFile: next, atomically: false, encoding: .utf8)
            }
            try setNextHandle(0x200)
            let changing = ["--profile", Lab.profile("changing")]
            try await withPlain(changing, advertising: Changing.anchor.uuidString) { sensor, central in
                let secret = try await central.service(Changing.anchor).found(Changing.secret)
                #expect(try await central.text(secret) == "between us")
                let position = sensor.position
                try await central.disconnect()
                try await sensor.event(.disconnected, from: position)
                try setNextHandle(0x80)
                try sensor.type("+ late")
                try await sensor.event(.serviceAdded, from: position) { $0.service == "late" }
                try setNextHandle(0x280)
                try await central.connectToPairedAndDiscover()
                let isFound = try await central.services.contains { $0.uuid == Changing.late }
                if let isNew = try await isNew() { #expect(isFound == isNew) }
            }
            try await Lab.here.forgetEachOther()
        }

        /// What needs encryption makes bluetoothd pair. 5.82 may ask again before it has, and answers with the second
        /// refusal. The sensor notifies nothing meanwhile, which would disturb it (docs/bluez-limits.md).
        @Test func `what needs pairing is read the first time`() async throws {
            try await withPlain([], advertising: "180D") { _, central in
                let characteristics = try await central.services.flatMap { $0.characteristics ?? [] }
                let secret = try #require(characteristics.first { $0.uuid == CBUUID(string: Self.pairingText) })
                #expect(try await central.text(secret).hasPrefix("Paired with Dittojay"))
                try await Lab.here.waitUntilPaired(Lab.sensorAddress, on: Lab.centralAdapter)
            }
            try await Lab.here.forgetEachOther()
        }

        private static let pairingText = "E4D4A76C-B9F1-422F-8BBA-18508356A145"

        private func withPlain(
            _ options: [String], advertising service: String, body: (Sensor, PlainCentral) async throws -> Void
        ) async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor(options)
            let central = PlainCentral()
            do {
                try await central.connect(advertising: service)
                try await central.discoverEverything()
                try await body(sensor, central)
                try await central.disconnect()
                try await sensor.stop()
            } catch {
                // The next test needs the controllers.
                central.giveUp()
                _ = try? await sensor.stop()
                throw error
            }
        }
    }
}
