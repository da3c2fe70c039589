import Bluejay
import Foundation
import Synchronization

/// How often each completion was called, and in which order those of the queue's work came.
final class LinkLedger: Swift.Sendable {
    private struct State {
        var calls: [Int] = []
        var order: [Int] = []
        var tally: [String: Int] = [:]
        /// The call that is being made.
        var current: Int?
    }

    private let state = Mutex(State())
    /// The numbers of the completions that were called.
    let closed = Collector<Int>()

    /// How often each completion was called.
    var calls: [Int] { state.withLock(\.calls) }
    /// The numbers of reads, writes and ends of listens in the order of their completions, but for those that were
    /// refused at once.
    var order: [Int] { state.withLock(\.order) }
    /// How often each kind of call had which outcome.
    var tally: [String: Int] { state.withLock(\.tally) }

    /// Makes a call whose completion is to close the number. Main queue only.
    func open(_ call: (Int) -> Void) {
        let (number, outer) = state.withLock { state in
            let outer = state.current
            state.calls.append(0)
            state.current = state.calls.count - 1
            return (state.calls.count - 1, outer)
        }
        call(number)
        state.withLock { $0.current = outer }
    }

    func close(_ number: Int, _ kind: String, isOrdered: Bool = false, _ outcome: String) {
        state.withLock { state in
            state.calls[number] += 1
            if isOrdered, state.current != number { state.order.append(number) }
            state.tally["\(kind) \(outcome)", default: 0] += 1
        }
        closed.add(number)
    }

    /// Waits until every completion was called.
    func settle() async throws {
        while closed.values.count < calls.count { _ = try await closed.values(calls.count) }
    }
}

/// What one listen has received.
final class Ear: Swift.Sendable {
    private struct State {
        var isTaken = false
        var isEnded = false
        var isSound = true
        var last: UInt32?
        var values = 0
    }

    private let state = Mutex(State())

    /// Whether it has been given to a listen.
    var isTaken: Bool {
        get { state.withLock(\.isTaken) }
        set { state.withLock { $0.isTaken = newValue } }
    }

    /// Whether it must no longer hear.
    var isEnded: Bool {
        get { state.withLock(\.isEnded) }
        set { state.withLock { $0.isEnded = newValue } }
    }

    /// Whether it heard nothing after its end, and no value twice or out of order.
    var isSound: Bool { state.withLock(\.isSound) }
    /// How many values it heard.
    var values: Int { state.withLock(\.values) }

    func hear(_ result: ReadResult<UInt32>) {
        state.withLock { state in
            if state.isEnded { state.isSound = false }
            switch result {
            case .success(let value):
                if let last = state.last, value <= last { state.isSound = false }
                state.last = value
                state.values += 1
            case .failure: state.isEnded = true
            }
        }
    }
}
