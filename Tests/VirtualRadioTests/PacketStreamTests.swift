import Testing

@testable import VirtualRadio

@Suite struct PacketStreamTests {
    private let packets: [[UInt8]] = [
        [1, 3, 0x0C, 0], [2, 1, 0x20, 3, 0, 7, 8, 9], [3, 1, 0, 2, 5, 6], [5, 1, 0, 1, 0x40, 4], [1, 5, 0x20, 1, 9],
        [2, 1, 0, 0x2C, 1] + [UInt8](repeating: 1, count: 300),
    ]

    private func read(_ stream: inout PacketStream, _ bytes: [UInt8]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        bytes.withUnsafeBytes { stream.add($0) { packets.append(Array($0)) } }
        return packets
    }

    @Test(arguments: 1...20)
    func `packets come out whole, however the stream is cut`(length: Int) {
        var stream = PacketStream(from: .host)
        var rest = packets.joined()[...].map { $0 }[...]
        var received: [[UInt8]] = []
        while !rest.isEmpty {
            received += read(&stream, Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        #expect(received == packets && !stream.isMalformed)
    }

    @Test func `packets that arrive together come out one by one`() {
        var stream = PacketStream(from: .host)
        #expect(read(&stream, Array(packets.joined())) == packets)
        #expect(read(&stream, Array(packets.joined())) == packets)
    }

    @Test(arguments: [0, 4, 6, 0xFF] as [UInt8])
    func `what begins no packet of a host ends the stream, after what came before`(type: UInt8) {
        var stream = PacketStream(from: .host)
        #expect(read(&stream, packets[0] + [type, 1, 2, 3] + packets[1]) == [packets[0]])
        #expect(stream.isMalformed)
        #expect(read(&stream, packets[0]).isEmpty)
    }

    @Test func `a controller sends events and no commands`() {
        var stream = PacketStream(from: .controller)
        let event: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
        #expect(read(&stream, event + packets[1] + event) == [event, packets[1], event])
        #expect(read(&stream, packets[0]).isEmpty && stream.isMalformed)
    }

    @Test func `odd bytes never trap, and what comes out is packets of hosts`() {
        var random = RandomSource(seed: 5)
        for _ in 0..<20_000 {
            var stream = PacketStream(from: .host)
            var sent = 0
            var received = 0
            for _ in 0..<random.below(6) {
                var bytes = random.below(2) == 0 ? packets[random.below(packets.count)] : []
                for _ in 0..<random.below(30) { bytes.append(UInt8(random.below(random.below(2) == 0 ? 6 : 256))) }
                sent += bytes.count
                for packet in read(&stream, bytes) {
                    #expect(packet.count >= 4 && [1, 2, 3, 5].contains(packet[0]))
                    received += packet.count
                }
            }
            #expect(received <= sent)
        }
    }
}
