import Foundation
import MainLoop
import Synchronization
import Testing

/// Something that a test waited for did not come.
package struct DeadlineMissed: Error {
    let what: String
    package init(what: String) { self.what = what }
}

/// Where callbacks put what they got, and a test waits for it.
package final class AwaitedValues<Item: Swift.Sendable>: Swift.Sendable {
    private struct State {
        var items: [Item] = []
        var waiter: (key: UUID, continuation: CheckedContinuation<Item?, Never>)?
    }

    private let state = Mutex(State())

    package init() {}

    package func put(_ item: Item) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.items.append(item)
                return nil as CheckedContinuation<Item?, Never>?
            }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume(returning: item)
    }

    /// What was put and not taken.
    package var waiting: [Item] { state.withLock { $0.items } }

    package func next(within limit: Duration = .seconds(30)) async throws -> Item {
        let key = UUID()
        let timer = Task {
            try await Task.sleep(for: limit)
            let waiter = state.withLock { state in
                guard state.waiter?.key == key else { return nil as CheckedContinuation<Item?, Never>? }
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }
            waiter?.resume(returning: nil)
        }
        defer { timer.cancel() }
        let item = await withCheckedContinuation { continuation in
            let first = state.withLock { state in
                guard state.items.isEmpty else { return state.items.removeFirst() as Item? }
                state.waiter = (key, continuation)
                return nil
            }
            if let first { continuation.resume(returning: first) }
        }
        guard let item else { throw DeadlineMissed(what: "no \(Item.self) within \(limit)") }
        return item
    }

    package func next(_ count: Int) async throws -> [Item] {
        var items: [Item] = []
        while items.count < count { items.append(try await next()) }
        return items
    }
}

/// Lets the loop run until a timer of `delay` fires: what was due before has fired then, too.
@LoopActor
package func pass(_ delay: Duration) async throws {
    let fired = AwaitedValues<Void>()
    let timer = LoopSource.timer(after: delay) { fired.put(()) }
    try await fired.next()
    timer.cancel()
}
