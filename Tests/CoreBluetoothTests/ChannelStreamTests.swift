import BlueZ
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CoreBluetooth

/// The streams of an L2CAP channel, as a program uses Foundation's.
@Suite(.timeLimit(.minutes(1)))
struct ChannelStreamTests {
    private let pair: ChannelPair
    private let channel: CBL2CAPChannel
    private var input: InputStream { channel.inputStream }
    private var output: OutputStream { channel.outputStream }

    init() async throws {
        pair = try await ChannelPair(psm: 0x85, pieceLimit: 100)
        channel = CBL2CAPChannel(peer: CBCentral(identifier: UUID()), socket: pair.near)
    }

    @Test func `streams are closed at first and have the number of their channel`() {
        #expect(channel.psm == 0x85)
        #expect(input.streamStatus == .notOpen && output.streamStatus == .notOpen)
        #expect(!input.hasBytesAvailable && !output.hasSpaceAvailable)
        #expect(input.read(4) == nil)
        #expect(output.write([1], maxLength: 1) == -1)
        input.open()
        output.open()
        #expect(input.streamStatus == .open && output.streamStatus == .open)
        #expect(!input.hasBytesAvailable && output.hasSpaceAvailable)
    }

    @Test func `bytes are written and read`() throws {
        input.open()
        output.open()
        let bytes = (0..<250).map { UInt8($0) }
        #expect(output.write(bytes, maxLength: 250) == 250)
        #expect(pair.far.taken() == bytes)
        #expect(pair.far.give([1, 2, 3]) == 3)
        #expect(input.hasBytesAvailable)
        #expect(input.read(2) == [1, 2])
        #expect(input.read(2) == [3])
        #expect(output.write(bytes, maxLength: 0) == 0)
        #expect(input.read(0) == [])
    }

    @Test func `a read waits for bytes, and a write for room`() async throws {
        input.open()
        output.open()
        let (far, reader) = (pair.far, Reader(channel))
        #expect(far.give([9]) == 1)
        #expect(try await reader.result.next() == [9])

        let total = 4 << 20
        let writer = Writer(channel, count: total)
        #expect(try await far.take(exactly: total).allSatisfy { $0 == 7 })
        #expect(try await writer.result.next() == total)
    }

    @Test func `the delegate is called in the run loop of the stream`() async throws {
        let (events, far) = (Events(), pair.far)
        let loop = LoopThread { [channel] in
            let streams: [Stream] = [channel.inputStream, channel.outputStream]
            for stream in streams {
                stream.delegate = events
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
        }
        let opening = try await events.lines.next(3)
        #expect(Set(opening) == ["in opened", "out opened", "out space"])
        // The run loop sleeps by now.
        #expect(far.give([1, 2]) == 2)
        #expect(try await events.lines.next() == "in bytes")
        // Not repeated before something is read.
        #expect(far.give([3]) == 1)
        try await loop.settle()
        #expect(events.lines.waiting == [])
        #expect(input.read(2) == [1, 2])
        #expect(try await events.lines.next() == "in bytes")
        #expect(output.write([1], maxLength: 1) == 1)
        #expect(try await events.lines.next() == "out space")
        // The end comes when all is read.
        far.close()
        try await loop.settle()
        #expect(events.lines.waiting == [])
        #expect(input.read(9) == [3])
        #expect(try await events.lines.next(2) == ["in end", "out end"])
        #expect(input.streamStatus == .atEnd && output.streamStatus == .atEnd)
        #expect(input.read(9) == [])
        #expect(output.write([1], maxLength: 1) == -1)
        #expect((output.streamError as? CBError)?.code == .peripheralDisconnected)
        #expect(events.loops == [loop.identifier])
        loop.stop()
    }

    @Test func `a stream that is removed from its run loop is silent there`() async throws {
        let (events, other) = (Events(), Events())
        let queue = DispatchQueue(label: "streams")
        input.delegate = events
        let loop = LoopThread { [channel] in
            channel.inputStream.schedule(in: .current, forMode: .default)
            channel.inputStream.open()
        }
        #expect(try await events.lines.next() == "in opened")
        loop.perform { [channel] in channel.inputStream.remove(from: .current, forMode: .default) }
        #expect(pair.far.give([1]) == 1)
        try await loop.settle()
        #expect(events.lines.waiting == [])
        input.delegate = other
        channel.schedule(on: queue)
        #expect(try await other.lines.next() == "in bytes")
        loop.stop()
    }

    @Test func `the channel is closed with its second stream`() async throws {
        input.open()
        output.open()
        input.close()
        #expect(output.write([1], maxLength: 1) == 1)
        #expect(pair.far.taken() == [1])
        #expect(pair.far.readiness(for: .receiving) == .notReady)
        output.close()
        output.close()
        #expect(input.streamStatus == .closed && output.streamStatus == .closed)
        try await end(of: pair.far)
        #expect(pair.far.readiness(for: .receiving) == .end(.closedByPeer))
    }

    @Test func `a channel that is released is closed`() async throws {
        let pair = try await ChannelPair()
        var channel: CBL2CAPChannel? = CBL2CAPChannel(peer: CBCentral(identifier: UUID()), socket: pair.near)
        let input = try #require(channel?.inputStream)
        input.open()
        channel = nil
        try await end(of: pair.far)
        #expect(input.read(1) == nil)
        #expect((input.streamError as? CBError)?.code == .notConnected)
    }

    @Test func `a read that waits ends when the stream is closed`() async throws {
        input.open()
        let reader = Reader(channel)
        channel.inputStream.close()
        channel.outputStream.close()
        #expect(try await reader.result.next() == nil)
    }

    private func end(of socket: L2CAPSocket) async throws {
        let ended = AwaitedValues<Void>()
        socket.onEnd { ended.put(()) }
        try await ended.next()
    }
}

extension InputStream {
    /// Nil for an error.
    fileprivate func read(_ limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: max(limit, 1))
        let count = read(&bytes, maxLength: limit)
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

/// Reads once, on a thread of its own.
private final class Reader: Sendable {
    let result = AwaitedValues<[UInt8]?>()

    init(_ channel: CBL2CAPChannel) {
        let result = result
        Thread { result.put(channel.inputStream.read(100)) }.start()
    }
}

/// Writes all of it, on a thread of its own.
private final class Writer: Sendable {
    let result = AwaitedValues<Int>()

    init(_ channel: CBL2CAPChannel, count: Int) {
        let result = result
        Thread {
            let bytes = [UInt8](repeating: 7, count: 10_000)
            var written = 0
            while written < count {
                let more = channel.outputStream.write(bytes, maxLength: min(bytes.count, count - written))
                guard more > 0 else { break }
                written += more
            }
            result.put(written)
        }.start()
    }
}

/// What a delegate of streams is called for, in words.
private final class Events: NSObject, StreamDelegate, Sendable {
    let lines = AwaitedValues<String>()
    private let seen = Mutex<Set<ObjectIdentifier>>([])

    /// Where it was called.
    var loops: Set<ObjectIdentifier> { seen.withLock { $0 } }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        seen.withLock { _ = $0.insert(ObjectIdentifier(RunLoop.current)) }
        let what =
            switch event {
            case .openCompleted: "opened"
            case .hasBytesAvailable: "bytes"
            case .hasSpaceAvailable: "space"
            case .endEncountered: "end"
            default: "error"
            }
        lines.put((stream is InputStream ? "in " : "out ") + what)
    }
}

/// A thread with a run loop.
// @unchecked: a run loop may be given timers on any thread.
private final class LoopThread: @unchecked Sendable {
    private let loop: RunLoop
    private let isOver: Flag

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// - Parameter begin: is run there first.
    init(_ begin: @escaping @Sendable () -> Void) {
        let ready = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var current = RunLoop.main
        let isOver = Flag()
        self.isOver = isOver
        let thread = Thread {
            current = RunLoop.current
            begin()
            ready.signal()
            while !isOver.isSet { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.start()
        ready.wait()
        loop = current
    }

    var identifier: ObjectIdentifier { ObjectIdentifier(loop) }

    /// Runs it there, and waits for it.
    func perform(_ body: @escaping @Sendable () -> Void = {}) {
        let done = DispatchSemaphore(value: 0)
        let timer = Timer(timeInterval: 0, repeats: false) { _ in
            body()
            done.signal()
        }
        loop.add(timer, forMode: .default)
        done.wait()
    }

    /// What was due before has happened then.
    func settle() async throws {
        try await pass(.milliseconds(20))
        perform()
    }

    func stop() { perform { [isOver] in isOver.set() } }
}
