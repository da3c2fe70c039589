import DBus
import Dispatch
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// What keeps values from being lost between bluetoothd, which drops what does not fit into a socket, and the program.
///
/// The tests run on the loop. So where one of them does not wait, the loop is held up.
@LoopActor
@Suite(.timeLimit(.minutes(5))) struct PacketReaderTests {
    @Test(arguments: [20, 180, 500])
    func `nothing is lost however long the loop is held up`(size: Int) async throws {
        let (receiver, sender) = try pair()
        var received: [Int] = []
        try receiver.receive {
            received += $0.map(number)
        } onLoss: {
            // Two bursts that are read without a pause are as many packets as a full queue has.
            #expect($0.dropped == 0)
        }
        var capacity = PacketCapacity()
        let burst = capacity.packets(of: size) - 1
        for start in 0..<20 {
            for index in 0..<burst { #expect(sender.send(start * burst + index, size: size)) }
            sender.waitUntilRead()
        }
        #expect(received.isEmpty)
        try await eventually("all packets") { received.count >= 20 * burst }
        #expect(received == Array(0..<20 * burst))
    }

    @Test(arguments: [PacketBatch.Limits(packets: 100, bytes: 1 << 20), .init(packets: 1 << 16, bytes: 2000)])
    func `what exceeds the buffer is dropped and counted`(limits: PacketBatch.Limits) async throws {
        let (receiver, sender) = try pair()
        var received: [Int] = []
        var loss = PacketLoss()
        try receiver.receive(limits: limits) {
            received += $0.map(number)
        } onLoss: {
            loss += $0
        }
        for index in 0..<150 { #expect(sender.send(index)) }
        sender.waitUntilRead()
        try await eventually("the loss") { !loss.isEmpty }
        #expect(received == Array(0..<100))
        #expect(loss == PacketLoss(dropped: 50))
        // There is room again.
        #expect(sender.send(150))
        try await eventually("the next packet") { received.last == 150 }
        #expect(loss == PacketLoss(dropped: 50))
    }

    @Test(arguments: [4, 180, 500])
    func `a full socket is reported each time`(size: Int) async throws {
        let (receiver, sender) = try pair()
        var count = 0
        while sender.send(count, size: size) { count += 1 }
        var received = 0
        var loss = PacketLoss()
        try receiver.receive {
            received += $0.count
        } onLoss: {
            loss += $0
        }
        try await eventually("all packets, and the loss") { received == count && !loss.isEmpty }
        #expect(loss == PacketLoss(fullQueues: 1))
        for index in 0..<count / 2 { #expect(sender.send(index, size: size)) }
        try await eventually("more packets") { received == count + count / 2 }
        #expect(loss == PacketLoss(fullQueues: 1))
    }

    @Test func `a socket that was never full is not reported as such`() async throws {
        let (receiver, sender) = try pair()
        var capacity = PacketCapacity()
        let count = capacity.packets(of: 20) - 1
        for index in 0..<count { #expect(sender.send(index)) }
        var received = 0
        try receiver.receive {
            received += $0.count
        } onLoss: {
            Issue.record("\($0)")
        }
        try await eventually("all packets") { received == count }
    }

    @Test func `empty packets count as well`() async throws {
        let (receiver, sender) = try pair()
        var loss = PacketLoss()
        var received: [Data] = []
        try receiver.receive(limits: .init(packets: 3, bytes: 10)) {
            received += $0
        } onLoss: {
            loss += $0
        }
        for _ in 0..<5 { #expect(sender.send(0, size: 0)) }
        sender.send(1, size: 4)
        sender.waitUntilRead()
        try await eventually("the loss") { loss.dropped == 3 }
        #expect(received == [Data(), Data(), Data()])
    }

    @Test func `one hundred sockets are read in their own order`() async throws {
        var received = [[Int]](repeating: [], count: 100)
        var ended: Set<Int> = []
        var receivers: [PacketSocket] = []
        var senders: [Sender] = []
        for index in 0..<100 {
            let (receiver, sender) = try pair()
            receiver.onClose = { ended.insert(index) }
            try receiver.receive {
                received[index] += $0.map(number)
            } onLoss: {
                Issue.record("\($0)")
            }
            receivers.append(receiver)
            senders.append(sender)
        }
        for value in 0..<100 { for sender in senders { #expect(sender.send(value)) } }
        senders = []
        try await eventually("the end of all") { ended.count == 100 }
        #expect(received.allSatisfy { $0 == Array(0..<100) })
        #expect(receivers.allSatisfy { !$0.isOpen })
    }

    /// The number of a closed descriptor is soon another file's, from which nothing may be taken.
    @Test func `closing a socket while packets come takes nothing of the next`() async throws {
        for _ in 0..<30 {
            let (first, firstSender) = try pair()
            try first.receive { [weak first] _ in
                #expect(first?.isOpen == true)
            } onLoss: { [weak first] _ in
                #expect(first?.isOpen == true)
            }
            first.onClose = { Issue.record("the end of a socket that was closed") }
            let flood = Flood(firstSender)
            await flood.hasBegun()
            first.close()
            let (second, secondSender) = try pair()
            for index in 0..<50 { #expect(secondSender.send(index)) }
            var received: [Int] = []
            try second.receive {
                received += $0.map(number)
            } onLoss: {
                Issue.record("\($0)")
            }
            try await eventually("what the second got") { received.count >= 50 }
            #expect(received == Array(0..<50))
            flood.end()
        }
    }

    @Test func `what has come is handed on before the socket is finished`() async throws {
        let (receiver, sender) = try pair()
        var received: [Int] = []
        receiver.onClose = { Issue.record("the end of a socket that was finished") }
        try receiver.receive {
            received += $0.map(number)
        } onLoss: {
            Issue.record("\($0)")
        }
        for index in 0..<100 { #expect(sender.send(index)) }
        receiver.finish()
        #expect(received == Array(0..<100))
        #expect(!receiver.isOpen)
    }

    @Test func `a socket that is released is closed`() async throws {
        let sender: Sender
        do {
            let (receiver, remote) = try pair()
            try receiver.receive { _ in
            } onLoss: { _ in
            }
            sender = remote
            sender.send(1)
        }
        try await eventually("the other end") { !sender.send(2) && errno == EPIPE }
    }

    @Test func `handlers may close the socket`() async throws {
        let (receiver, sender) = try pair()
        var calls = 0
        receiver.onClose = { calls += 1 }
        try receiver.receive(limits: .init(packets: 1, bytes: 100)) { [weak receiver] _ in
            calls += 1
            receiver?.close()
        } onLoss: { _ in
            calls += 1
        }
        for index in 0..<3 { sender.send(index) }
        sender.waitUntilRead()
        try await eventually("the end") { !receiver.isOpen }
        #expect(calls == 1)
        #expect(throws: BlueZError.notConnected) {
            try receiver.receive { _ in
            } onLoss: { _ in
            }
        }
    }

    // MARK: Both ends

    private func pair() throws -> (receiver: PacketSocket, sender: Sender) {
        let (local, remote) = try PacketSocket.pair(mtu: 100)
        return (local, Sender(descriptor: try #require(remote.take())))
    }

    private nonisolated func number(_ packet: Data) -> Int {
        packet.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// An end of a socket that is written to as bluetoothd does: what does not fit is dropped.
private final class Sender: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    @discardableResult
    func send(_ number: Int, size: Int = 20) -> Bool {
        var packet = [UInt8](repeating: 0, count: max(size, 4))
        withUnsafeBytes(of: UInt32(number)) { packet.replaceSubrange(0..<4, with: $0) }
        return Glibc.send(descriptor, packet, size, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == size
    }

    /// Waits on this thread until the other end has taken all.
    func waitUntilRead(within limit: Duration = .seconds(20)) {
        let deadline = ContinuousClock.now + limit
        var count: Int32 = 1
        // SIOCOUTQ.
        while ioctl(descriptor, 0x5411, &count) == 0, count > 0 {
            guard ContinuousClock.now < deadline else {
                Issue.record("nobody reads the socket")
                return
            }
            usleep(50)
        }
    }
}

/// Sends without a pause, on a thread of its own, until the other end is closed.
private final class Flood: Sendable {
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ sender: Sender) {
        Thread.detachNewThread { [begun, ended] in
            for number in 0... {
                if !sender.send(number), errno == EPIPE { break }
                if number == 20 { begun.signal() }
            }
            ended.signal()
        }
    }

    func hasBegun() async { await wait(begun) }
    func end() { ended.wait() }

    private func wait(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
