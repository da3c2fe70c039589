import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

@LoopActor
@Suite struct PacketSocketTests {
    private func pair() throws -> (PacketSocket, PacketSocket) {
        let (local, remote) = try PacketSocket.pair(mtu: 100)
        return (local, try PacketSocket(remote, mtu: 100))
    }

    @Test func `packets arrive whole and in order and the end is reported`() async throws {
        let (sender, receiver) = try pair()
        let packets = AsyncStream<Data?>.makeStream()
        try receiver.receive {
            $0.forEach { packets.continuation.yield($0) }
        } onLoss: { _ in
        }
        receiver.onClose = { packets.continuation.yield(nil) }
        let sent = (0..<100).map { Data(repeating: UInt8($0), count: $0 + 1) }
        for packet in sent { #expect(try sender.send(packet)) }
        sender.close()
        var received: [Data] = []
        for await packet in packets.stream {
            guard let packet else { break }
            received.append(packet)
        }
        #expect(received == sent)
        #expect(!receiver.isOpen)
    }

    @Test func `empty packets are not taken for the end`() async throws {
        let (sender, receiver) = try pair()
        let packets = AsyncStream<Data?>.makeStream()
        try receiver.receive {
            $0.forEach { packets.continuation.yield($0) }
        } onLoss: { _ in
        }
        receiver.onClose = { packets.continuation.yield(nil) }
        let sent = [Data(), Data([1]), Data(), Data(), Data([2])]
        for packet in sent { #expect(try sender.send(packet)) }
        var iterator = packets.stream.makeAsyncIterator()
        for packet in sent { #expect(await iterator.next() == packet) }
        #expect(try sender.send(Data()))
        #expect(await iterator.next() == Data())
        sender.close()
        #expect(await iterator.next() == .some(nil))
    }

    @Test func `empty packets before the end are not taken for it`() async throws {
        let (sender, receiver) = try pair()
        let sent = [Data([1]), Data(), Data()]
        for packet in sent { #expect(try sender.send(packet)) }
        sender.close()
        var received: [Data] = []
        try receiver.receive {
            received += $0
        } onLoss: { _ in
        }
        try await eventually("the end") { !receiver.isOpen }
        #expect(received == sent)
    }

    /// The kernel then reports an error before it yields what was sent.
    @Test func `what was sent is read though the other end has not read all`() async throws {
        let (sender, receiver) = try pair()
        #expect(try receiver.send(Data([9])))
        #expect(try sender.send(Data([1])))
        sender.close()
        var received: [Data] = []
        try receiver.receive {
            received += $0
        } onLoss: { _ in
        }
        try await eventually("the end") { !receiver.isOpen }
        #expect(received == [Data([1])])
    }

    @Test func `a full socket refuses and reports when there is room`() async throws {
        let (sender, receiver) = try pair()
        var accepted = 0
        while try sender.send(Data(count: 500)) { accepted += 1 }
        #expect(accepted > 0)
        #expect(sender.unreadByteCount > 0)
        let ready = AsyncStream<Void>.makeStream()
        sender.onReady = { ready.continuation.yield() }
        var received = 0
        try receiver.receive {
            received += $0.count
        } onLoss: { _ in
        }
        var iterator = ready.stream.makeAsyncIterator()
        _ = await iterator.next()
        #expect(try sender.send(Data(count: 500)))
        try await eventually("all packets") { received == accepted + 1 }
    }

    @Test func `sending to a closed end is an error and no signal`() async throws {
        let (sender, receiver) = try pair()
        receiver.close()
        // A process that another test is starting may have that end, too, for a moment.
        try await eventually("the end is closed") { (try? sender.send(Data([1]))) == nil }
        #expect(throws: BlueZError.notConnected) { try sender.send(Data([1])) }
        sender.close()
        #expect(throws: BlueZError.notConnected) { try sender.send(Data([1])) }
    }

    @Test func `after close nothing is called`() async throws {
        let (sender, receiver) = try pair()
        var calls = 0
        try receiver.receive { _ in
            calls += 1
        } onLoss: { _ in
            calls += 1
        }
        receiver.onClose = { calls += 1 }
        #expect(try sender.send(Data([1])))
        receiver.close()
        sender.close()
        // Whatever the loop had to say of the two has been said when it has come round once more.
        await withCheckedContinuation { continuation in
            MainLoop.shared.async { MainLoop.shared.async { continuation.resume() } }
        }
        #expect(calls == 0)
    }
}
