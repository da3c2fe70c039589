import MainLoop

/// Lets only a few registrations through to bluetoothd at a time; the others wait for their turn.
///
/// A program with many peripherals registers hundreds of services and advertisements at its start, and when bluetoothd
/// is back. bluetoothd (5.66) takes some 10 ms for each, so that the answers to the last ones would come too late, and
/// the bus allows it only 128 calls of its own without an answer, one of which each registration causes.
@LoopActor
final class RegistrationGate {
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

extension Adapter {
    /// Registers something when it is its turn.
    func inTurn(_ register: @LoopActor () async throws -> Void) async throws {
        guard let session else { throw BlueZError.notRunning }
        try await session.registrationGate.pass(register)
    }
}
