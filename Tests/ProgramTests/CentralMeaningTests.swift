import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// bluejay and what the SIG's formats and numbers say of what it finds.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralMeaningTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs
    private static let device = "C0:00:00:00:00:01/random"

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
    }

    private func bluejay(_ words: String...) async throws -> ChildProcess {
        let central = try programs.run(["bluejay"] + words)
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        return central
    }

    @Test func `values are shown with their units and their bytes`() async throws {
        await thermometer()
        #expect(try await bluejay("read", Self.device, "temperature").lines == ["21.50 °C (6608)"])
        #expect(try await bluejay("read", Self.device, "humidity").lines == ["d011aa"])
        let line = try await bluejay("read", Self.device, "2A6E", "--json").lines.joined()
        #expect(line.contains(#""value":"6608","decoded":{"temperature":{"value":21.50,"unit":"°C"}}"#), "\(line)")
        let info = try await bluejay("info", Self.device, "--values")
        #expect(info.transcript.contains("  2A6E Temperature @0011 (read) = 21.50 °C (6608)"), "\(info.transcript)")
    }

    @LoopActor
    private func thermometer() {
        daemon.adapter.addDevice().addService(
            "181A",
            [
                .init("2A6E", ["read"], value: Data([0x66, 0x08])),
                // Longer than its format.
                .init("2A6F", ["read"], value: Data([0xD0, 0x11, 0xAA])),
            ])
    }

    @Test func `manufacturer data are shown with the company`() async throws {
        await advertise(0x004C, Data([0x10, 2, 0x0B, 0]))
        let scan = try await bluejay("scan", "--count", "1", "--timeout", "30")
        #expect(scan.lines.last?.hasSuffix("manufacturer \"Apple, Inc.\": 10020b00") == true, "\(scan.transcript)")
        let json = try await bluejay("scan", "--count", "1", "--timeout", "30", "--json")
        let expected =
            #""manufacturerData":"4c0010020b00","manufacturer":"#
            + #"{"company":"004C","name":"Apple, Inc.","data":"10020b00"}"#
        #expect(json.lines.last?.contains(expected) == true, "\(json.transcript)")
    }

    @Test func `everything that is advertised is shown`() async throws {
        let device = await daemon.adapter.addDevice()
        await device.set(
            "ManufacturerData",
            [
                UInt16(0x004C): BusValue.bytes(Data([0x02, 0x15]) + Data(count: 16) + Data([0, 1, 0, 2, 0xC5])),
                0xEC88: .bytes(Data([0, 3, 0x21, 0x5D, 0x64])), 0x0001: .bytes(Data([9])),
            ].busValue)
        await device.set(
            "ServiceData",
            [
                "0000fcd2-0000-1000-8000-00805f9b34fb": BusValue.bytes(Data([0x40, 0x01, 0x64])),
                "0000181a-0000-1000-8000-00805f9b34fb": .bytes(Data([0x10])),
                "12345678-0000-4000-8000-000000000001": .bytes(Data([0xAB])),
            ].busValue)
        await device.set("TxPower", .int16(-4))
        let scan = try await bluejay("scan", "--count", "1", "--timeout", "30")
        let line = try #require(scan.lines.last)
        let expected = [
            "ibeacon 00000000-0000-0000-0000-000000000000", "manufacturer EC88: 0003215d64",
            "manufacturer \"Nokia Mobile Phones\": 09", "data of FCD2 \"Allterco Robotics ltd\": 400164",
            "data of environmental-sensing: 10", "data of 12345678-0000-4000-8000-000000000001: ab", "tx -4 dBm",
        ]
        for text in expected { #expect(line.contains(text), "\(text): \(scan.transcript)") }
        let json = try await bluejay("scan", "--count", "1", "--timeout", "30", "--json")
        let parts = [
            #""txPower":-4,"manufacturerData":"010009","manufacturer":{"company":"0001","#,
            #""manufacturers":[{"company":"0001","#, #"{"company":"EC88","data":"0003215d64"}]"#,
            #"{"company":"004C","name":"Apple, Inc.","data":"0215"#,
            #"{"service":"181A","name":"Environmental Sensing","data":"10"}"#,
            #"{"service":"12345678-0000-4000-8000-000000000001","data":"ab"}"#,
        ]
        for part in parts { #expect(json.lines.last?.contains(part) == true, "\(part): \(json.transcript)") }
    }

    @Test func `a company without a name is shown by its number`() async throws {
        await advertise(0xFFFF, Data([1]))
        let scan = try await bluejay("scan", "--count", "1", "--timeout", "30")
        #expect(scan.lines.last?.hasSuffix("manufacturer FFFF: 01") == true, "\(scan.transcript)")
    }

    @Test func `a private address is shown as one`() async throws {
        let address = "4A:00:00:00:00:01"
        await daemon.adapter.addDevice(address).set("AddressType", .string("random"))
        let scan = try await bluejay("scan", "--count", "1", "--timeout", "30")
        #expect(scan.lines.last?.hasSuffix(" private address") == true, "\(scan.transcript)")
        let json = try await bluejay("scan", "--count", "1", "--timeout", "30", "--json")
        #expect(json.lines.last?.contains(#""addressType":"resolvable-private""#) == true, "\(json.transcript)")
        let info = try await bluejay("info", address + "/random")
        #expect(
            info.lines.dropFirst().first
                == "address: resolvable private; it changes, and the identifier with it, until the device is paired")
    }

    @LoopActor
    private func advertise(_ company: UInt16, _ data: Data) {
        let device = daemon.adapter.addDevice()
        device.set("ManufacturerData", [company: BusValue.bytes(data)].busValue)
    }
}
