import Foundation
import Synchronization
import DBus
import Testing

struct DeadlineMissed: Error {
    let what: String
}

/// Where callbacks put what they got, and a test waits for it.
final class Mailbox<Item: Swift.Sendable>: Swift.Sendable {
    private struct State {
        var items: [Item] = []
        var waiter: (key: UUID, continuation: CheckedContinuation<Item?, Never>)?
    }

    private let state = Mutex(State())

    func put(_ item: Item) {
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
    var waiting: [Item] { state.withLock { $0.items } }

    func next(within limit: Duration = .seconds(20)) async throws -> Item {
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

    func next(_ count: Int) async throws -> [Item] {
        var items: [Item] = []
        while items.count < count { items.append(try await next()) }
        return items
    }
}

/// Waits until `condition` holds, for what nobody can be told about.
func eventually(
    _ what: String, within limit: Duration = .seconds(20), isolation: isolated (any Actor)? = #isolation,
    _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw DeadlineMissed(what: what) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The ``BusError`` that `body` throws.
func busError<T>(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> T
) async throws -> BusError {
    do {
        _ = try await body()
    } catch let error as BusError {
        return error
    }
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    throw DeadlineMissed(what: "an error")
}
