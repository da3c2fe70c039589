import Testing

@testable import VirtualRadio

@Suite(.onThreadOfTheirOwn) struct SnifferTests {
    private final class Capture {
        var packets: [(time: Instant, bytes: [UInt8])] = []
    }

    /// A device is found, connected to and disconnected from again.
    private func course(_ air: AirModel, seed: UInt64 = 1) -> [(time: Instant, bytes: [UInt8])] {
        let pair = Pair(.v4_2, seed: seed, air: air)
        let capture = Capture()
        pair.radio.sniff { capture.packets.append(($0, $1)) }
        pair.peripheral.advertise([2, 1, 6], response: [2, 9, 0x41])
        pair.central.scan()
        pair.advance(300)
        pair.central.stopScan()
        pair.central.connect(to: pair.peripheral.address)
        pair.advance(300)
        pair.central.send([1, 2, 3], 1)
        pair.advance(100)
        pair.peripheral.send([4], 1)
        _ = pair.central.take()
        #expect(pair.central.disconnect(1) == 0)
        pair.advance(300)
        return capture.packets
    }

    @Test func `a capture has each packet with its type, its address and its check`() throws {
        let packets = course(.ideal).map(\.bytes)
        let address = TestHost(Radio(seed: 1), number: 0).address
        let own = [UInt8](bits: address.bits, count: 6)
        let advertisement = try #require(packets.first)
        #expect(advertisement[..<10] == [0, 0xC5, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x13, 0x0C])
        #expect(advertisement[10..<16] == [0xD6, 0xBE, 0x89, 0x8E, 0x00, 9])
        #expect(Array(advertisement[16..<25]) == own + [2, 1, 6])
        let kinds = packets.filter { $0[4] == 0xD6 }.map { $0[14] }
        #expect(Set(kinds) == [0, 3, 4, 5])
        let connection = try #require(packets.first { $0[4] == 0xD6 && $0[14] == 5 })
        #expect(connection.count == 10 + 4 + 2 + 34 + 3)
        // Interval 30 ms, latency 0, timeout 420 ms.
        #expect(connection[38..<44] == [24, 0, 0, 0, 42, 0])
        let data = packets.filter { $0[4] != 0xD6 }
        #expect(data.allSatisfy { $0[10..<14] == connection[28..<32] })
        // A start from the central, one from the peripheral, and LL_TERMINATE_IND.
        #expect(data.map { $0[14] & 3 } == [2, 2, 3])
        // Who has sent it: bits 7 to 9 of the flags.
        #expect(data.map { (number($0, 8) >> 7) & 7 } == [2, 3, 2])
        #expect(data[0][16..<19] == [1, 2, 3] && data[1][16] == 4 && data[2][16..<18] == [2, 0x13])
    }

    /// Core Specification, Vol 6 Part C, 3.1: sample data.
    @Test func `the second algorithm chooses the channels of the specification's sample`() {
        #expect((0..<4).map { LinkTrace.channel(of: $0, 0x8E89_BED6) } == [25, 20, 6, 21])
    }

    @Test(arguments: [(ControllerKind.v5_3, ControllerKind.v5_3), (.v5_3, .v4_2), (.v4_2, .v5_3)])
    func `packets say who knows the second algorithm, and both have to`(central: ControllerKind, other: ControllerKind)
    {
        let radio = Radio(seed: 1)
        let hosts = (TestHost(radio, other), TestHost(radio, central, number: 1))
        var packets: [[UInt8]] = []
        radio.sniff { packets.append($1) }
        for host in [hosts.0, hosts.1] { host.wantAllEvents() }
        hosts.0.advertise()
        hosts.1.connect(to: hosts.0.address)
        radio.advance(to: 300 * Span.millisecond)
        let headers = Set(packets.filter { $0[4] == 0xD6 }.map { $0[14] })
        #expect(headers.contains(other == .v5_3 ? 0x20 : 0x00))
        #expect(headers.contains(central == .v5_3 ? 0x25 : 0x05))
        for (host, kind) in [(hosts.0, other), (hosts.1, central)] {
            let events = host.take().filter { $0[0] == 0x3E && $0[2] == 0x14 }
            let algorithm: UInt8 = central == other ? 1 : 0
            let expected: [[UInt8]] = [[0x3E, 4, 0x14, 1, 0, algorithm]]
            #expect(events == (kind == .v5_3 ? expected : []))
        }
    }

    @Test func `the check is the remainder of the polynomial`() {
        let content = (0..<20).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        // As 3.1.1 of Vol 6 Part B draws it: a register that the bits enter at its highest.
        var register: UInt32 = 0x55_5555
        for byte in content {
            for place: UInt8 in 0..<8 {
                let bit = UInt32(byte >> place & 1) ^ (register >> 23 & 1)
                register = (register << 1) & 0xFF_FFFF
                if bit == 1 { register ^= 0x00_065B }
            }
        }
        // The highest bit is sent first, as the lowest of a byte.
        var expected: [UInt8] = [0, 0, 0]
        for sent in 0..<24 where register >> UInt32(23 - sent) & 1 == 1 { expected[sent / 8] |= 1 << UInt8(sent % 8) }
        #expect(AirPacket.check(content[...], 0x55_5555) == expected)
    }

    @Test func `the same seed has the same capture, and the sniffer changes nothing`() {
        for air in [AirModel.ideal, .real] {
            let first = course(air)
            let second = course(air)
            #expect(first.map(\.bytes) == second.map(\.bytes) && first.map(\.time) == second.map(\.time))
            #expect(first.map(\.time) == first.map(\.time).sorted())
            #expect(course(air, seed: 2).map(\.time) != first.map(\.time))
        }
    }

    @Test func `in real air the ends meet at every interval`() {
        let times = course(.real).filter { $0.bytes[4] != 0xD6 && $0.bytes[14] & 3 == 1 }.map(\.time)
        #expect(times.count > 10)
        let first = times.first ?? 0
        #expect(times.allSatisfy { ($0 - first) % (30 * Span.millisecond) == 0 })
    }
}
