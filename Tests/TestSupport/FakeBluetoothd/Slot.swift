import Synchronization

/// A place among the few tests that have a bluetoothd at a time. It is given back with the last reference to it.
///
/// All fakes, and all programs on them in this process, share one main loop. Hundreds at once, as Swift Testing starts
/// tests, would keep each other waiting for longer than a test may wait.
final class Slot: Sendable {
    private struct State {
        var free = 6
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private static let state = Mutex(State())

    private init() {}

    /// Waits for its turn.
    static func take() async -> Slot {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return Slot()
    }

    deinit {
        let next: CheckedContinuation<Void, Never>? = Self.state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
