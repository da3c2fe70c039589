package import BlueZ
import Foundation
package import MainLoop

/// Two ends of a channel without Bluetooth: a pair of local sockets that keep packets apart, as L2CAP's do.
package struct ChannelPair: Swift.Sendable {
    package static let address = L2CAPAddress(device: "C0:00:00:00:00:02", isRandom: true)

    package let near: L2CAPSocket
    package let far: L2CAPSocket

    /// - Parameter pieceLimit: how many bytes each end takes as one piece.
    @LoopActor
    package init(psm: UInt16 = 0x80, pieceLimit: Int = 100) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw DeadlineMissed(what: "no socket pair") }
        let sockets = ends.map {
            L2CAPSocket(owning: $0, peer: Self.address, psm: psm, peerLimit: pieceLimit)
        }
        (near, far) = (sockets[0], sockets[1])
    }
}

extension L2CAPSocket {
    /// What has come, as far as that is `limit` bytes; nil at the end.
    package func taken(_ limit: Int = 1 << 16) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        switch bytes.withUnsafeMutableBytes({ receive(into: $0) }) {
        case .bytes(let count): return Array(bytes[..<count])
        case .nothing: return []
        case .end: return nil
        }
    }

    /// - Returns: how many bytes were sent; nil at the end.
    package func give(_ bytes: [UInt8]) -> Int? {
        switch bytes.withUnsafeBytes({ send($0) }) {
        case .bytes(let count): count
        case .noRoom: 0
        case .end: nil
        }
    }

    /// Waits for this many bytes.
    package func take(exactly count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = AwaitedValues<Void>()
            whenReady(for: .receiving) { more.put(()) }
            try await more.next()
            guard let taken = taken(count - bytes.count) else {
                throw DeadlineMissed(what: "\(bytes.count) bytes only")
            }
            bytes += taken
        }
        return bytes
    }
}
