import Synchronization

/// What the app knew when it made a call. Calls reach the loop later; by then the controller may have been off and on
/// again, and what the app asked for has to be dropped, because it will set everything up again.
final class CallEpochs: Swift.Sendable {
    struct Call: Swift.Sendable {
        /// Counts the state updates that the app has seen.
        let epoch: Int
        /// Counts the calls of ``CBPeripheralManager/stopAdvertising()``; 0 for a central manager.
        let stops: Int
    }

    private let calls = Mutex(Call(epoch: 0, stops: 0))

    var current: Call { calls.withLock { $0 } }

    func countStop() {
        calls.withLock { $0 = Call(epoch: $0.epoch, stops: $0.stops + 1) }
    }

    /// To be called on the manager's queue, before the delegate is called.
    func enter(_ epoch: Int) {
        calls.withLock { $0 = Call(epoch: epoch, stops: $0.stops) }
    }
}
