import Foundation

/// Packets in their order, in memory that is used again.
struct PacketBatch: Swift.Sendable {
    /// How much may wait for a program that does not take it.
    struct Limits: Swift.Sendable {
        var packets = 1 << 16
        var bytes = 4 << 20
    }

    /// The memory of a larger one is given back.
    private static let largeSize = 1 << 16

    private var bytes: [UInt8] = []
    private var lengths: [UInt16] = []

    var count: Int { lengths.count }

    /// - Returns: false when there is no room for it.
    mutating func append(_ packet: UnsafeRawBufferPointer, _ limits: Limits) -> Bool {
        guard lengths.count < limits.packets, bytes.count + packet.count <= limits.bytes else { return false }
        bytes.append(contentsOf: packet)
        lengths.append(UInt16(packet.count))
        return true
    }

    /// Takes all of them out.
    mutating func removePackets() -> [Data] {
        var packets: [Data] = []
        packets.reserveCapacity(lengths.count)
        bytes.withUnsafeBytes { bytes in
            var start = 0
            for length in lengths {
                packets.append(Data(bytes[start..<start + Int(length)]))
                start += Int(length)
            }
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.largeSize)
        lengths.removeAll(keepingCapacity: lengths.capacity <= Self.largeSize)
        return packets
    }
}
