import Foundation
import TestSupport
import Testing

@testable import MainLoop

@Suite(.timeLimit(.minutes(5)))
struct LoopTests {
    @Test func `actor runs on the loop`() async {
        #expect(!MainLoop.shared.isCurrent)
        let (before, after) = await Task { @LoopActor in
            let before = MainLoop.shared.isCurrent
            await Task.yield()
            return (before, MainLoop.shared.isCurrent)
        }.value
        #expect(before)
        #expect(after)
    }

    @Test func `work from each thread runs in its order`() async throws {
        let done = AwaitedValues<[Int: [Int]]>()
        let log = Log()
        for thread in 0..<8 {
            Thread.detachNewThread {
                for number in 0..<1000 {
                    MainLoop.shared.async {
                        log.numbers[thread, default: []].append(number)
                        if log.numbers.values.reduce(0, { $0 + $1.count }) == 8000 { done.put(log.numbers) }
                    }
                }
            }
        }
        let numbers = try await done.next()
        for thread in 0..<8 { #expect(numbers[thread] == Array(0..<1000)) }
    }

    @Test func `a loop that is at work is not woken for more`() {
        let wasWoken = MainLoop.shared.sync {
            // What woke the loop before does not matter; it is at work, and looks at what comes before it sleeps.
            var count: UInt64 = 0
            _ = read(MainLoop.shared.wakeDescriptor, &count, 8)
            let added = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                MainLoop.shared.async {}
                added.signal()
            }
            added.wait()
            var descriptor = pollfd(fd: MainLoop.shared.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) != 0
        }
        #expect(!wasWoken)
    }

    /// The waiting thread goes on while the loop still holds the work.
    @Test func `results are waited for from many threads`() async throws {
        let done = AwaitedValues<Int>()
        for thread in 0..<4 {
            Thread.detachNewThread {
                done.put((0..<5000).reduce(0) { sum, number in sum + MainLoop.shared.sync { number % 2 + thread } })
            }
        }
        var sums: [Int] = []
        for _ in 0..<4 { sums.append(try await done.next()) }
        #expect(sums.sorted() == (0..<4).map { 2500 + 5000 * $0 })
    }

    @LoopActor
    private final class Log {
        var numbers: [Int: [Int]] = [:]
        nonisolated init() {}
    }

    @Test func `work that adds work does not starve timers`() async throws {
        let fired = AwaitedValues<Int>()
        try await onLoop {
            let chain = EndlessWork()
            let timer = LoopSource.timer(after: .milliseconds(5)) {
                chain.isOver = true
                fired.put(chain.turns)
            }
            chain.run()
            _ = try await fired.next()
            timer.cancel()
        }
    }

    @LoopActor
    private final class EndlessWork {
        var isOver = false
        var turns = 0
        func run() {
            turns += 1
            if !isOver { MainLoop.shared.async { self.run() } }
        }
    }

    @Test(arguments: [0, 1, 30]) @LoopActor func `a timer fires once and not before its time`(milliseconds: Int)
        async throws
    {
        let fired = AwaitedValues<Duration>()
        let start = ContinuousClock.now
        let timer = LoopSource.timer(after: .milliseconds(milliseconds)) { fired.put(ContinuousClock.now - start) }
        #expect(try await fired.next() >= .milliseconds(milliseconds))
        try await pass(.milliseconds(5))
        #expect(fired.waiting.isEmpty)
        timer.cancel()
    }

    @Test @LoopActor func `a repeating timer stops when it cancels itself`() async throws {
        let fired = AwaitedValues<Int>()
        let holder = Holder()
        var count = 0
        holder.source = .timer(after: .milliseconds(1), repeats: true) {
            count += 1
            fired.put(count)
            if count == 3 {
                holder.source?.cancel()
                holder.source = nil
            }
        }
        #expect(try await fired.next(3) == [1, 2, 3])
        try await pass(.milliseconds(10))
        #expect(fired.waiting.isEmpty)
    }

    @Test @LoopActor func `a released timer does not fire and lets go of its action`() async throws {
        let fired = AwaitedValues<Int>()
        var token: Token? = Token()
        weak let weakToken = token
        var timer: LoopSource? = .timer(after: .milliseconds(2)) { [token] in
            fired.put(1)
            withExtendedLifetime(token) {}
        }
        token = nil
        #expect(weakToken != nil)
        withExtendedLifetime(timer) {}
        timer = nil
        #expect(weakToken == nil)
        try await pass(.milliseconds(10))
        #expect(fired.waiting.isEmpty)
    }

    @Test @LoopActor func `a descriptor reports data and the other end's death`() async throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let descriptor = ends[0]
        defer { close(descriptor) }
        let events = AwaitedValues<DescriptorEvents>()
        let holder = Holder()
        holder.source = .descriptor(descriptor, .readable) { ready in
            var byte: UInt8 = 0
            if read(descriptor, &byte, 1) == 0 { holder.source?.cancel() }
            events.put(ready)
        }
        // It stays writable: without an end there would be an event in every turn of the loop.
        let writer = Holder()
        writer.source = .descriptor(descriptor, .writable) { ready in
            writer.source?.cancel()
            events.put(ready)
        }
        #expect(try await events.next() == .writable)
        var byte: UInt8 = 7
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(try await events.next() == .readable)
        close(ends[1])
        #expect(try await events.next().contains(.hangUp))
    }

    @Test func `a registration released elsewhere is undone on the loop`() async throws {
        let undone = AwaitedValues<Bool>()
        var registration: Registration? = await onLoop {
            Registration { undone.put(MainLoop.shared.isCurrent) }
        }
        withExtendedLifetime(registration) {}
        registration = nil
        #expect(try await undone.next())
    }

    @Test @LoopActor func `a registration is undone once and not when kept`() {
        var count = 0
        var registration: Registration? = Registration { count += 1 }
        registration?.cancel()
        registration?.cancel()
        registration = nil
        #expect(count == 1)
        registration = Registration { count += 1 }
        registration?.keep()
        registration = nil
        #expect(count == 1)
    }

    @LoopActor
    private final class Holder {
        var source: LoopSource?
    }

    private final class Token: Swift.Sendable {}

    @Test func `durations become milliseconds rounded up`() {
        #expect(Duration.zero.wholeMilliseconds == 0)
        #expect(Duration.milliseconds(-5).wholeMilliseconds == 0)
        #expect(Duration.microseconds(1).wholeMilliseconds == 1)
        #expect(Duration.milliseconds(25_000).wholeMilliseconds == 25_000)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == 2_000_000_000)
    }
}

/// Runs `body` on the loop.
@LoopActor
func onLoop<T: Swift.Sendable>(_ body: @LoopActor () async throws -> T) async rethrows -> T {
    try await body()
}
