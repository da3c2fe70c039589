import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

@LoopActor
@Suite(.timeLimit(.minutes(1)))
struct L2CAPSocketTests {
    private let near: L2CAPSocket
    private let far: L2CAPSocket

    init() throws {
        let pair = try ChannelPair(pieceLimit: 100)
        (near, far) = (pair.near, pair.far)
    }

    @Test func `bytes go out in pieces and are taken in any parts`() {
        let bytes = (0..<250).map { UInt8($0) }
        #expect(near.give(bytes) == 100)
        #expect(near.give(Array(bytes[100...])) == 100)
        #expect(near.give(Array(bytes[200...])) == 50)
        #expect(far.taken(30) == Array(bytes[..<30]))
        #expect(far.readiness(for: .receiving) == .ready)
        // Of several pieces.
        #expect(far.taken(120) == Array(bytes[30..<150]))
        #expect(far.taken() == Array(bytes[150...]))
        #expect(far.taken() == [])
        #expect(far.readiness(for: .receiving) == .notReady)
    }

    @Test func `pieces are limited here as well`() throws {
        let pair = try ChannelPair(pieceLimit: 65535)
        #expect(pair.near.pieceLimit == 2048)
        #expect(pair.near.give([UInt8](repeating: 1, count: 5000)) == 2048)
        #expect(try ChannelPair(pieceLimit: 0).near.pieceLimit == 1)
    }

    @Test func `what came before the end is taken first`() throws {
        #expect(near.give([1, 2, 3]) == 3)
        near.close()
        #expect(far.taken(2) == [1, 2])
        #expect(far.taken(2) == [3])
    }

    @Test func `the end by the peer is reported to both directions`() async throws {
        let ended = AwaitedValues<Void>()
        far.onEnd { ended.put(()) }
        let ready = AwaitedValues<Void>()
        far.whenReady(for: .receiving) { ready.put(()) }
        near.close()
        try await ended.next()
        try await ready.next()
        #expect(far.readiness(for: .receiving) == .end(.closedByPeer))
        #expect(far.readiness(for: .sending) == .end(.closedByPeer))
        #expect(far.taken() == nil)
        #expect(far.give([1]) == nil)
        // Who waits then need not wait.
        far.whenReady(for: .sending) { ready.put(()) }
        try await ready.next()
    }

    @Test func `an end is reported to one who asks late`() async throws {
        let first = AwaitedValues<Void>()
        far.onEnd { first.put(()) }
        near.close()
        try await first.next()
        let late = AwaitedValues<Void>()
        far.onEnd { late.put(()) }
        try await late.next()
    }

    @Test func `a sender whose peer does not read has no room until it does`() async throws {
        var sent = 0
        while let count = near.give([UInt8](repeating: 7, count: 100)), count > 0 {
            sent += count
            // More than any socket holds.
            try #require(sent < 16 << 20)
        }
        #expect(near.readiness(for: .sending) == .notReady)
        let room = AwaitedValues<Void>()
        near.whenReady(for: .sending) { room.put(()) }
        #expect(try await far.take(exactly: sent) == [UInt8](repeating: 7, count: sent))
        try await room.next()
        #expect(near.readiness(for: .sending) == .ready)
    }

    @Test func `closing waits until the peer has what was written`() async throws {
        #expect(near.give([1, 2, 3]) == 3)
        let closed = AwaitedValues<Void>()
        near.close { closed.put(()) }
        near.close()
        // It is closed for the program at once.
        #expect(near.give([4]) == nil)
        #expect(near.taken() == nil)
        // By the loop, whose turns are the socket's clock, because this test itself may be late.
        let isWaiting = AwaitedValues<Bool>()
        let later = LoopSource.timer(after: .milliseconds(50)) { isWaiting.put(closed.waiting.isEmpty) }
        #expect(try await isWaiting.next())
        later.cancel()
        #expect(try await far.take(exactly: 3) == [1, 2, 3])
        try await closed.next()
        // Whoever asks later is answered, too.
        near.close { closed.put(()) }
        try await closed.next()
    }

    @Test func `who waits goes on when the channel is closed here`() async throws {
        let ready = AwaitedValues<L2CAPSocket.Readiness>()
        let near = near
        let thread = Thread {
            near.waitUntilReady(for: .receiving)
            ready.put(near.readiness(for: .receiving))
        }
        thread.start()
        near.close()
        #expect(try await ready.next() == .end(.closedHere))
    }

    @Test func `empty pieces are not the end`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        let socket = L2CAPSocket(owning: ends[0], peer: ChannelPair.address, psm: 1, peerLimit: 10)
        let bytes: [UInt8] = [5, 6]
        for size in [0, 2, 0, 0, 1] { #expect(Glibc.send(ends[1], bytes, size, 0) == size) }
        #expect(socket.taken() == [5, 6, 5])
        #expect(Glibc.send(ends[1], bytes, 0, 0) == 0)
        #expect(socket.taken() == [])
        close(ends[1])
        #expect(socket.taken() == nil)
    }
}
