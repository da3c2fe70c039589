import Foundation
import MainLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DescriptorWatchTests {
    private let queue = DispatchQueue(label: "watch")

    /// Two ends of a connection that do not block.
    private static func socketPair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = [SOCK_STREAM, SOCK_NONBLOCK, SOCK_CLOEXEC].map { Int32($0.rawValue) }.reduce(0, |)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private static func byte(from descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        // The end of the stream leaves it as it was.
        errno = 0
        return read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    /// Whether the other end of a connection is closed.
    private static func isGone(_ descriptor: Int32) -> Bool {
        send(descriptor, [0], 1, Int32(MSG_NOSIGNAL)) == -1 && errno == EPIPE
    }

    /// A process that another test is starting has copies of all descriptors, until it becomes its program.
    private static func expectGone(_ descriptor: Int32) async throws {
        try await eventually("the end of the other side") { isGone(descriptor) }
    }

    @Test func `handler is called on the queue while there is something to read`() async throws {
        let (near, far) = try Self.socketPair()
        defer { close(far) }
        let bytes = AwaitedValues<UInt8?>()
        let watch = DescriptorWatch(near, queue: queue) { [queue] in
            dispatchPrecondition(condition: .onQueue(queue))
            bytes.put(Self.byte(from: near))
        }
        queue.async { watch.start() }
        for value: [UInt8] in [[1, 2, 3], [4]] {
            write(far, value, value.count)
            for byte in value { #expect(try await bytes.next() == byte) }
        }
        queue.sync { watch.cancel() }
    }

    @Test func `other end that goes is reported and the descriptor is closed`() async throws {
        let (near, far) = try Self.socketPair()
        let ends = AwaitedValues<UInt8?>()
        let watch = Holder()
        queue.sync {
            watch.value = DescriptorWatch(near, queue: queue) {
                ends.put(Self.byte(from: near))
                watch.value?.cancel()
                #expect(watch.value?.isCancelled == true)
                watch.value = nil
            }
            watch.value?.start()
        }
        defer { close(far) }
        shutdown(far, Int32(SHUT_WR))
        #expect(try await ends.next() == nil)
        await onLoop {}
        try await Self.expectGone(far)
    }

    @Test func `suspended watch leaves what is there`() async throws {
        let (near, far) = try Self.socketPair()
        defer { close(far) }
        let bytes = AwaitedValues<UInt8?>()
        let watch = DescriptorWatch(near, queue: queue) { bytes.put(Self.byte(from: near)) }
        queue.sync {
            watch.start()
            watch.suspend()
        }
        write(far, [7], 1)
        await onLoop {}
        queue.sync {}
        #expect(bytes.waiting.isEmpty)
        queue.sync {
            watch.resume()
            watch.resume()
        }
        #expect(try await bytes.next() == 7)
        queue.sync { watch.cancel() }
    }

    @Test func `handler is neither called nor kept after cancelling`() async throws {
        let (near, far) = try Self.socketPair()
        weak var kept: Holder?
        let calls = AwaitedValues<Bool>()
        queue.sync {
            let holder = Holder()
            kept = holder
            let watch = DescriptorWatch(near, queue: queue) { withExtendedLifetime(holder) { calls.put(true) } }
            watch.start()
            watch.cancel()
            watch.cancel()
            watch.start()
        }
        #expect(kept == nil)
        await onLoop {}
        try await Self.expectGone(far)
        queue.sync {}
        #expect(calls.waiting.isEmpty)
        close(far)
    }

    @Test func `watch that was never started closes its descriptor`() async throws {
        let (near, far) = try Self.socketPair()
        defer { close(far) }
        _ = DescriptorWatch(near, queue: queue) {}
        try await Self.expectGone(far)
    }

    /// Each end goes at any moment, with bytes under way.
    @Test func `connections that end from both sides at once all come to their end`() async throws {
        var dice = Dice(state: 6)
        let ended = AwaitedValues<Int>()
        var all: Set<Int> = []
        let rounds = 3000
        for round in 0..<rounds {
            // No more at a time than there may be descriptors.
            if round >= 100 { all.insert(try await ended.next()) }
            let (near, far) = try Self.socketPair()
            let watch = Holder()
            let writes = dice.happens(60)
            let endsHereToo = dice.happens(50)
            queue.async { [queue] in
                watch.value = DescriptorWatch(near, queue: queue) {
                    guard Self.byte(from: near) == nil, errno != EAGAIN else { return }
                    end()
                }
                watch.value?.start()
            }
            @Sendable func end() {
                guard let value = watch.value else { return }
                watch.value = nil
                value.cancel()
                ended.put(round)
            }
            if writes { write(far, [1, 2], 2) }
            if endsHereToo { queue.async { end() } }
            close(far)
        }
        for _ in 0..<100 { all.insert(try await ended.next()) }
        #expect(all.count == rounds)
    }

    // @unchecked: touched on the queue only.
    private final class Holder: @unchecked Sendable {
        var value: DescriptorWatch?
    }
}
