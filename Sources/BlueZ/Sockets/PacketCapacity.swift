import CGLib
import Foundation

/// How many packets fit into a socket that is not read.
///
/// It depends on the kernel, its settings and the packets' size (Linux 6.18 by default: 278 of up to 180 bytes, 167 of
/// 512). So it is measured with another socket pair, made as bluetoothd makes its own.
struct PacketCapacity {
    private var known: [Int: Int] = [:]

    /// - Parameter size: bytes of a packet.
    /// - Returns: a count of packets; `Int.max` if there is no descriptor to measure it with.
    mutating func packets(of size: Int) -> Int {
        if let count = known[size] { return count }
        guard let count = Self.measure(size) else { return .max }
        known[size] = count
        return count
    }

    private static func measure(_ size: Int) -> Int? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        defer { for end in ends { Glibc.close(end) } }
        let packet = [UInt8](repeating: 0, count: size)
        var count = 0
        while send(ends[0], packet, size, Int32(MSG_NOSIGNAL)) == size { count += 1 }
        return count
    }
}
