import Captures
import CryptographicToolbox
import Dittojay
import Foundation
import TestSupport
import Testing

/// What a device does under resolvable private addresses is that of one device, if the capture has its key.
@Suite struct PrivateAddressTests {
    private static let key = [UInt8](1...16)
    private static let irk = IdentityResolvingKey(key)
    /// The device's identity address, a public one, as it is sent.
    private static let identity: [UInt8] = [0x66, 0x55, 0x44, 0x33, 0x22, 0x00]
    private static let name = "00:22:33:44:55:66"

    /// A resolvable private address of the device.
    private static func address(_ number: UInt64, _ key: IdentityResolvingKey = irk) -> DeviceAddress {
        let upper = 1 << 22 | number
        return DeviceAddress(number: upper << 24 | key.hash(upper), isRandom: true)
    }

    private static func sent(_ number: UInt64) -> [UInt8] { address(number).bytes.reversed() }

    /// The device under one address.
    private func link(_ number: UInt64, _ builder: inout CaptureBuilder, _ body: (inout CaptureBuilder) -> Void) {
        builder.advertise([2, 1, 6, 5, 9] + Array("Room".utf8), from: Self.sent(number))
        builder.connect(to: Self.sent(number))
        body(&builder)
        builder.disconnect()
    }

    /// Two links under different addresses, with what says whose they are between.
    private func analysis(
        _ format: CaptureBuilder.Format, _ tell: (inout CaptureBuilder) -> Void
    ) throws -> CaptureAnalysis {
        var builder = CaptureBuilder(format)
        link(1, &builder) {
            $0.discover()
            tell(&$0)
        }
        link(2, &builder) { $0.read(0x15, [2]) }
        return try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
    }

    private func made(_ analysis: CaptureAnalysis) throws -> DeviceImport {
        try DeviceImport(
            #require(analysis.importable.first), analysis, ImportOptions(fileName: "capture.log"))
    }

    /// The profile has what only the first link has, and what only the second one has.
    private func expectOneDevice(_ analysis: CaptureAnalysis, _ evidence: String) throws {
        #expect(analysis.devices.map(\.identity.text) == [Self.name])
        let device = try #require(analysis.devices.first)
        #expect(device.links.count == 2 && device.advertisementCount == 2)
        let others = [Self.address(1), Self.address(2)]
        #expect(device.otherAddresses == others)
        for address in others { #expect(analysis.device(address.description) === device) }
        #expect(DeviceList(analysis).lines[1].contains("\"Room\", also \(others[0]) and \(others[1]), peripheral"))
        let made = try made(analysis)
        #expect(try profile(made).services[0].characteristics[1].initialValue == [2])
        #expect(made.report.recognized.contains { $0.text == evidence && $0.packet != nil })
        let all = "the same device under other addresses: \(others[0]) and \(others[1])"
        #expect(made.report.recognized.contains { $0.text == all })
    }

    @Test(arguments: CaptureBuilder.Format.allCases)
    func `a key that a device distributes makes its links those of one device`(
        format: CaptureBuilder.Format
    ) throws {
        let analysis = try analysis(format) {
            $0.l2cap(6, [0x08] + Self.key, isFromPhone: false)
            $0.l2cap(6, [0x09, 0] + Self.identity, isFromPhone: false)
        }
        try expectOneDevice(analysis, "the key of the device's addresses (SMP Identity Information)")
    }

    @Test func `a key in a controller's resolving list does`() throws {
        let analysis = try analysis(.btsnoopH4) {
            $0.add(.command, [0x27, 0x20, 39, 0] + Self.identity + Self.key + [UInt8](repeating: 0, count: 16))
        }
        try expectOneDevice(analysis, "the key of the device's addresses (LE Add Device To Resolving List)")
    }

    @Test func `a key is late, too, if another device's comes first`() throws {
        let analysis = try analysis(.btsnoopH4) {
            for (key, identity) in [([UInt8](17...32), CaptureBuilder.central), (Self.key, Self.identity)] {
                $0.add(.command, [0x27, 0x20, 39, 0] + identity + key + [UInt8](repeating: 0, count: 16))
            }
        }
        try expectOneDevice(analysis, "the key of the device's addresses (LE Add Device To Resolving List)")
    }

    @Test func `a key that Linux loads or reports does`() throws {
        let info = Self.identity + [1] + Self.key
        try expectOneDevice(
            analysis(.monitor) { $0.add(.management(isEvent: false), [0x30, 0, 1, 0] + info) },
            "the key of the device's addresses (Load Identity Resolving Keys)")
        try expectOneDevice(
            analysis(.pcapMonitor) { $0.add(.management(isEvent: true), [0x18, 0, 1] + Self.sent(1) + info) },
            "the key of the device's addresses (New Identity Resolving Key)")
    }

    @Test(arguments: [UInt8(0x0A), 0x29])
    func `addresses that a controller has resolved do`(event: UInt8) throws {
        var builder = CaptureBuilder()
        for number: UInt64 in [1, 2] {
            builder.advertise([2, 1, 6, 5, 9] + Array("Room".utf8), from: Self.sent(number))
            let sides: [UInt8] = [2] + Self.identity + [UInt8](repeating: 0, count: 6) + Self.sent(number)
            let rest: [UInt8] = [24, 0, 0, 0, 72, 0, 0] + (event == 0x29 ? [0xFF, 0xFF, 0xFF] : [])
            let parameters: [UInt8] = [event, 0] + little(Int(CaptureBuilder.handle), 2) + [0] + sides + rest
            builder.add(.event, [0x3E, UInt8(parameters.count)] + parameters)
            if number == 1 { builder.discover() } else { builder.read(0x15, [2]) }
            builder.disconnect()
        }
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        try expectOneDevice(analysis, "an address of the device (LE Enhanced Connection Complete)")
    }

    @Test(arguments: [UInt8(2), 3])
    func `advertisements that a controller has resolved are those of the identity`(type: UInt8) throws {
        let address = type == 2 ? Self.identity : CaptureBuilder.peripheral
        var builder = CaptureBuilder()
        builder.add(.event, [0x3E, 15, 0x02, 1, 0, type] + address + [3, 2, 1, 6, 0xC0])
        let header: [UInt8] = [0x13, 0, type]
        let middle: [UInt8] = [1, 0, 0xFF, 127, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 7)
        builder.add(.event, [0x3E, 29, 0x0D, 1] + header + address + middle + [3, 2, 1, 6])
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        #expect(analysis.devices.map(\.identity.address?.isRandom) == [type == 3])
        #expect(analysis.devices[0].advertisementCount == 2)
    }

    @Test func `a central's addresses are resolved, too`() throws {
        var builder = CaptureBuilder()
        for number: UInt64 in [1, 2] {
            let parameters =
                [0x01, 0] + little(Int(CaptureBuilder.handle), 2) + [1, 1] + Self.sent(number)
                + [24, 0, 0, 0, 72, 0, 0]
            builder.add(.event, [0x3E, UInt8(parameters.count)] + parameters)
            if number == 1 {
                builder.l2cap(6, [0x08] + Self.key, isFromPhone: false)
                builder.l2cap(6, [0x09, 0] + Self.identity, isFromPhone: false)
            }
            builder.disconnect()
        }
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        #expect(analysis.devices.flatMap(\.links).map(\.central?.text) == [Self.name, Self.name])
    }

    @Test func `without a key links stay apart until the user joins them`() throws {
        var builder = CaptureBuilder()
        link(1, &builder) { $0.discover() }
        link(2, &builder) { $0.read(0x15, [2]) }
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        let names = [Self.address(1).description, Self.address(2).description]
        #expect(analysis.devices.map(\.identity.text) == names)
        let sentence = "2 devices with links have resolvable private addresses, whose keys are not in the capture"
        #expect(DeviceList(analysis).lines.last?.hasPrefix(sentence) == true)
        let alone = try made(analysis)
        #expect(alone.report.leftOut.contains { $0.text.hasPrefix("what the device did under other addresses: ") })

        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.path + "/capture.log"
        try Data(builder.bytes).write(to: URL(filePath: file))
        let chosen = try ChosenDevice(names, in: file)
        #expect(chosen.device.identity.text == names[0] && chosen.device.links.count == 2)
        let joined = DeviceImport(chosen.device, chosen.analysis, ImportOptions(fileName: "capture.log"))
        #expect(try profile(joined).services[0].characteristics[1].initialValue == [2])
        #expect(joined.report.recognized.contains { $0.text == "the same device under other addresses: \(names[1])" })
        #expect(!joined.report.leftOut.contains { $0.text.contains("--device") })
    }

    @Test func `a key without an identity, and one of zeros, resolve nothing`() throws {
        let none = [UInt8](repeating: 0, count: 16)
        for (key, identity) in [(none, Self.identity), (Self.key, [0, 0, 0, 0, 0, 0]), (Self.key, Self.sent(3))] {
            let analysis = try analysis(.btsnoopH4) {
                $0.l2cap(6, [0x08] + key, isFromPhone: false)
                $0.l2cap(6, [0x09, identity == Self.sent(3) ? 1 : 0] + identity, isFromPhone: false)
                $0.l2cap(6, [0x09], isFromPhone: false)
            }
            #expect(analysis.devices.count == 2 && analysis.unresolved.count == 2)
        }
    }

    @Test func `neither addresses nor keys are left in what is anonymized`() throws {
        let analysis = try analysis(.btsnoopH4) {
            $0.l2cap(6, [0x08] + Self.key, isFromPhone: false)
            $0.l2cap(6, [0x09, 0] + Self.identity, isFromPhone: false)
            $0.write(0x22, [0xAA] + Self.key)
            $0.write(0x22, Self.key.reversed())
            $0.write(0x22, Self.sent(2))
        }
        let device = try #require(analysis.importable.first)
        var anonymizer = Anonymizer(using: Dice(state: 7))
        anonymizer.anonymize(device)
        let made = DeviceImport(device, analysis, ImportOptions(fileName: "x"))
        let scenario = try #require(made.scenario)
        let lines = made.profile.lines + made.report.lines + scenario.lines + DeviceList(analysis).lines
        let text = lines.joined(separator: "\n").lowercased()
        for number: UInt64 in [1, 2] {
            #expect(!text.contains(Self.address(number).description.lowercased()))
            let digits = Self.sent(number).flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }
            #expect(!text.contains(digits.joined()))
        }
        #expect(!text.contains(Self.name) && !text.contains("0102030405") && !text.contains("0504030201"))
        // Which others there are is still said.
        #expect(device.otherAddresses.count == 2 && text.contains("also \(device.otherAddresses[0])".lowercased()))
    }

    @Test func `there are limits to keys and to addresses, and what is beyond them is said`() throws {
        var builder = CaptureBuilder()
        for number: UInt64 in 0..<11_000 { builder.advertise([2, 1, 6], from: Self.sent(number)) }
        for number in 1...ResolvingList.maximumKeys + 3 {
            let key = number == 1 ? Self.key : little(number, 16)
            let identity = number == 1 ? Self.identity : little(number, 6)
            builder.add(.command, [0x27, 0x20, 39, 0] + identity + key + [UInt8](repeating: 0, count: 16))
        }
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        let device = try #require(analysis.device(Self.name))
        #expect(device.advertisementCount == 11_000 && device.otherAddresses.count == 10_000)
        #expect(analysis.problems.contains("3 identity resolving keys beyond the limit (64)"))
    }
}
