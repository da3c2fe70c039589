import BluetoothLab
import Foundation
import Synchronization

/// Runs `body` on the main queue, where Bluejay's API is used.
func onMain<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.main.async { continuation.resume(with: Result { try body() }) }
    }
}

/// Waits for the one answer that `start` passes to its callback, which runs on the main queue.
func answer<T: Sendable>(
    _ what: String, within timeout: Duration = .seconds(30),
    _ start: @escaping @Sendable (_ callback: @escaping @Sendable (T) -> Void) -> Void
) async throws -> T {
    let box = Promise<T>(what)
    DispatchQueue.main.async { start { box.fulfil($0) } }
    return try await box.value(within: timeout)
}

/// A value that comes later, once. A second one is a failure of what is tested, and ends the test's process.
final class Promise<T: Sendable>: Sendable {
    private struct State {
        var value: Result<T, any Error>?
        var continuation: CheckedContinuation<T, any Error>?
        var answers = 0
    }

    private let state = Mutex(State())
    private let what: String

    init(_ what: String) {
        self.what = what
    }

    /// How often it was fulfilled.
    var answers: Int { state.withLock(\.answers) }

    func fulfil(_ value: T) {
        state.withLock { $0.answers += 1 }
        finish(.success(value))
    }

    func value(within timeout: Duration = .seconds(30)) async throws -> T {
        let deadline = Task {
            try await Task.sleep(for: timeout)
            finish(.failure(LabError("\(what): nothing within \(timeout)")))
        }
        defer { deadline.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let ready = state.withLock { state in
                if state.value == nil { state.continuation = continuation }
                return state.value
            }
            if let ready { continuation.resume(with: ready) }
        }
    }

    private func finish(_ result: Result<T, any Error>) {
        let continuation = state.withLock { state in
            guard state.value == nil else { return nil as CheckedContinuation<T, any Error>? }
            state.value = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }
}

/// Values that come one after another, to be waited for by their number.
final class Collector<T: Sendable>: Sendable {
    private struct State {
        var values: [T] = []
        var wanted = Int.max
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    init() {}

    var values: [T] { state.withLock(\.values) }

    func add(_ value: T) {
        let continuation = state.withLock { state in
            state.values.append(value)
            guard state.values.count >= state.wanted else { return nil as CheckedContinuation<Void, any Error>? }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }

    /// Waits until there are `count` values.
    func values(_ count: Int, within timeout: Duration = .seconds(60)) async throws -> [T] {
        let deadline = Task {
            try await Task.sleep(for: timeout)
            let continuation = state.withLock { state in
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(throwing: LabError("only \(values.count) of \(count) values within \(timeout)"))
        }
        defer { deadline.cancel() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isThere = state.withLock { state in
                if state.values.count >= count { return true }
                state.wanted = count
                state.continuation = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
        return values
    }
}
