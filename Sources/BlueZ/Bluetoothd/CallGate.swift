import MainLoop

/// Lets only a few of the calls that set a controller up, or put it back, through to bluetoothd at a time; the others
/// wait for their turn.
///
/// A program with many peripherals makes hundreds of them at once: at its start, at its end, and when bluetoothd is
/// back. bluetoothd (5.66) takes some 10 ms for a registration, so that the answers to the last ones would come too
/// late. And the bus lets a program wait for 128 answers only (`max_replies_per_connection`), and bluetoothd, too,
/// which makes a call of its own for each registration.
@LoopActor
final class CallGate {
    private let limit: Int
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init(limit: Int = 8) {
        self.limit = limit
    }

    /// Calls `body` when it is its turn.
    func pass(_ body: @LoopActor () async throws -> Void) async rethrows {
        if running < limit {
            running += 1
        } else {
            // Whoever leaves passes its place on.
            await withCheckedContinuation { waiting.append($0) }
        }
        defer { leave() }
        try await body()
    }

    private func leave() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
}
