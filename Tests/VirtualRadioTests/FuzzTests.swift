import Foundation
import Testing

@testable import VirtualRadio

/// Hosts that send what they like to, beside two that behave.
@Suite(.onThreadOfTheirOwn) struct FuzzTests {
    /// How many packets. More by the environment: `VIRTUAL_RADIO_FUZZ=1000000`.
    private static let packets = ProcessInfo.processInfo.environment["VIRTUAL_RADIO_FUZZ"].flatMap(Int.init) ?? 20_000
    private static let opcodes = Command.all.keys.sorted()

    @Test(arguments: [AirModel.ideal, .real])
    func `no packet of a host traps or disturbs others`(air: AirModel) {
        let radio = Radio(seed: 1, air: air)
        let kinds: [ControllerKind] = [.v4_2, .v5_3, .v5_3]
        let odd = kinds.enumerated().map { TestHost(radio, $1, number: UInt8($0)) }
        let good = (3...4).map { TestHost(radio, number: $0) }
        for host in odd + good { host.wantAllEvents() }
        good[0].advertise()
        good[1].connect(to: good[0].address)
        radio.advance(to: 100 * Span.millisecond)
        for host in good { #expect(host.take().first?[..<4] == [0x3E, 31, 0x0A, 0]) }

        var random = RandomSource(seed: 7)
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var seen: Set<UInt8> = []
        for count in 0..<Self.packets / 2 {
            let host = odd[random.below(odd.count)]
            host.send(Self.packet(&random, host, odd))
            if random.below(4) == 0 { radio.advance(to: radio.now + random.below(60) * Span.millisecond) }
            for host in odd {
                for event in host.take() {
                    Self.check(event)
                    if event[0] == 0x3E { seen.insert(event[2]) }
                }
            }
            if random.below(50) == 0 { host.wantAllEvents() }
            // One knows no enhanced events, but the older ones.
            if host === odd[0] { host.result(0x2001, [0xFF, 0xFD] + [UInt8](repeating: 0xFF, count: 6)) }
            guard count % 100 == 0 else { continue }
            radio.advance(to: radio.now + 100 * Span.millisecond)
            sent.append(UInt8(truncatingIfNeeded: count / 100))
            good[1].send([sent.last ?? 0], 1)
            radio.advance(to: radio.now + 100 * Span.millisecond)
            for event in good[0].take() where event[1] & 0xF0 == 0x20 { received.append(event[4]) }
            for event in good[1].take() { #expect(event[0] == 0x13, "\(event)") }
        }
        #expect(received == sent)
        #expect(seen.isSuperset(of: [0x01, 0x02, 0x03, 0x05, 0x07, 0x0A, 0x0D, 0x12]), "it reached \(seen.sorted())")
        #expect(
            radio.controllers.compactMap { $0 }.allSatisfy {
                $0.connections.count <= 32 && $0.advertisingSets.count <= 17
            })
    }

    /// Whether an event or a packet of data has the length that it says.
    private static func check(_ packet: [UInt8]) {
        let isEvent = packet.count >= 2 && packet.count == 2 + Int(packet[1])
        let isData = packet.count >= 4 && packet.count == 4 + number(packet, 2)
        #expect(isEvent || isData, "\(packet)")
    }

    private static func packet(_ random: inout RandomSource, _ host: TestHost, _ hosts: [TestHost]) -> [UInt8] {
        var packet: [UInt8]
        switch random.below(20) {
        case 0: packet = bytes(&random, random.below(300))
        case 1...3: packet = data(&random)
        case 4...8: packet = meaningful(&random, host, hosts)
        default:
            let opcode = opcodes[random.below(opcodes.count)]
            // These make much of what follows harmless.
            let isDull = ending.contains(opcode) || host.isExtended && legacy.contains(opcode)
            guard !isDull || random.below(30) == 0 else { return meaningful(&random, host, hosts) }
            let length = Command.all[opcode]?.length ?? random.below(40)
            packet = command(opcode, small(&random, length))
        }
        guard random.below(10) == 0, !packet.isEmpty else { return packet }
        switch random.below(4) {
        case 0: packet.removeLast(random.below(packet.count))
        case 1: packet += bytes(&random, random.below(20))
        case 2: packet[random.below(packet.count)] ^= 1 << UInt8(random.below(8))
        default: packet[random.below(packet.count)] = UInt8(random.below(256))
        }
        return packet
    }

    private static let ending = [0x0C01, 0x0C03, 0x2001]
    private static let legacy = [0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x200B, 0x200C, 0x200D]

    private static func command(_ opcode: Int, _ parameters: [UInt8]) -> [UInt8] {
        [1] + [UInt8](number: opcode) + [UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }

    private static func bytes(_ random: inout RandomSource, _ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(random.below(256)) }
    }

    /// Mostly numbers that mean something, as handles and flags do.
    private static func small(_ random: inout RandomSource, _ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(random.below(8) == 0 ? random.below(256) : random.below(4)) }
    }

    private static func data(_ random: inout RandomSource) -> [UInt8] {
        let length = random.below(300)
        let header = [UInt8](number: random.below(16) | random.below(8) << 12)
        return [2] + header + .init(number: length) + bytes(&random, length)
    }

    /// Commands that do something, so that the others meet a controller that does something.
    private static func meaningful(_ random: inout RandomSource, _ host: TestHost, _ hosts: [TestHost]) -> [UInt8] {
        let isExtended = host.isExtended
        let peer = [UInt8(0)] + host.bytes(hosts[random.below(hosts.count)].address)
        let connection: [UInt8] = [6, 0, 24, 0, UInt8(random.below(3)), 0, 100, 0, 0, 0, 0, 0]
        let open = host.radio.controllers[host.index]?.connections ?? []
        let handle = [UInt8](number: open.isEmpty ? 1 : open[random.below(open.count)].handle)
        let properties: [UInt8] = [0x13, 0x1D, 0x12, 0x10, 0x15, 0x00, 0x01, 0x02]
        // Mostly the public address.
        let own: UInt8 = random.below(3) == 0 ? UInt8(random.below(4)) : 0
        switch random.below(14) {
        case 0:
            let type = random.below(isExtended ? 8 : 5)
            guard isExtended else { return command(0x2006, [32, 0, 64, 0, UInt8(type), own] + peer + [7, 0]) }
            let first: [UInt8] = [UInt8(random.below(4)), properties[type], 0, 32, 0, 0, 64, 0, 0, 7, own]
            return command(0x2036, first + peer + [0, 0, 1, 0, 1, 0, 1])
        case 1: return isExtended ? command(0x2039, [1, 1, UInt8(random.below(4)), 0, 0, 0]) : command(0x200A, [1])
        case 2:
            let scan: [UInt8] = [0x30, 0, 0x30, 0]
            return isExtended ? command(0x2041, [own, 0, 1, 1] + scan) : command(0x200B, [1] + scan + [own, 0])
        case 3: return isExtended ? command(0x2042, [1, 0, 0, 0, 0, 0]) : command(0x200C, [1, 0])
        case 4...5:
            let scan: [UInt8] = [0x30, 0, 0x30, 0]
            guard isExtended else { return command(0x200D, scan + [0] + peer + [own] + connection) }
            return command(0x2043, [0, own] + peer + [1] + scan + connection)
        case 6: return command(0x0406, handle + [0x13])
        case 7: return command(0x2019, handle + [UInt8](repeating: 0, count: 26))
        case 8: return command(0x201A, handle + [UInt8](repeating: UInt8(random.below(10) / 9), count: 16))
        case 9: return command(0x2013, handle + connection)
        case 10: return command(0x2022, handle + [251, 0, 0x48, 8])
        case 11:
            // Most have no key: who has one and does not use it is then ignored.
            let key = [UInt8](repeating: UInt8(random.below(10) / 9), count: 16)
            return random.below(2) == 0 ? command(0x2029, []) : command(0x2027, peer + key + bytes(&random, 16))
        case 12: return command(0x202D, [UInt8(random.below(2))])
        default: return [2] + handle + [4, 0, 1, 2, 3, 4]
        }
    }
}
