import DequeModule
import MainLoop
import Synchronization

/// The transmit queue of a peripheral manager: between
/// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)``, which is called on any thread and has to know its
/// answer at once, and the loop, which hands the values to bluetoothd.
///
/// The first value of a burst wakes the loop; the loop then takes whole batches until nothing is left.
final class UpdateQueue: Swift.Sendable {
    /// A characteristic.
    typealias Target = ObjectIdentifier

    /// One value on its way.
    struct Update: Swift.Sendable {
        let target: Target
        /// The period of subscription that it belongs to: once nobody is subscribed, the values that are still queued
        /// have no receiver.
        let generation: Int
        let value: Data
    }

    enum Outcome: Hashable, Swift.Sendable {
        /// It has no receiver.
        case noReceiver
        /// It will be sent.
        case queued
        /// It will be sent, and the loop has to be notified.
        case queuedFirst
        /// It was not taken; ``finished(_:)`` will say when to try again.
        case full
    }

    private struct Receivers {
        var generation: Int
        var centrals: [ObjectIdentifier]
    }

    private struct State {
        var receivers: [Target: Receivers] = [:]
        var incoming = Deque<Update>()
        /// All values that bluetoothd does not have yet, including those that the loop has taken.
        var count = 0
        var loopIsAwake = false
        var wasRefused = false
    }

    /// How many values may be on their way to bluetoothd. Its sockets hold about as many again.
    static let defaultCapacity = 256

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = UpdateQueue.defaultCapacity) {
        self.capacity = capacity
    }

    /// Opens a characteristic for values, or changes the centrals that receive them.
    ///
    /// - Parameter centrals: the known receivers, for the choice among them.
    func open(_ target: Target, generation: Int, centrals: [ObjectIdentifier]) {
        state.withLock { $0.receivers[target] = Receivers(generation: generation, centrals: centrals) }
    }

    /// No subscriber receives values of the characteristic after this.
    func close(_ target: Target) {
        state.withLock { $0.receivers[target] = nil }
    }

    /// Closes all characteristics, and forgets that a value was refused.
    func closeAll() {
        state.withLock {
            $0.receivers = [:]
            $0.wasRefused = false
        }
    }

    /// Queues a value.
    ///
    /// - Parameter centrals: the receivers that get it; nil means all.
    func offer(_ value: Data, to target: Target, only centrals: [ObjectIdentifier]?) -> Outcome {
        state.withLock { state in
            guard let receivers = state.receivers[target] else { return .noReceiver }
            if let centrals, !centrals.contains(where: receivers.centrals.contains) { return .noReceiver }
            guard state.count < capacity else {
                state.wasRefused = true
                return .full
            }
            state.count += 1
            state.incoming.append(Update(target: target, generation: receivers.generation, value: value))
            defer { state.loopIsAwake = true }
            return state.loopIsAwake ? .queued : .queuedFirst
        }
    }

    /// Fills `batch`, which is empty, with all queued values. If there are none, the loop may sleep: the next
    /// ``offer(_:to:only:)`` reports that it has to be woken.
    func take(into batch: inout Deque<Update>) {
        state.withLock { state in
            swap(&batch, &state.incoming)
            state.loopIsAwake = !batch.isEmpty
        }
    }

    /// Gives back the room of values that were sent or dropped.
    ///
    /// - Returns: whether to report that there is room, because a value was refused and half of the queue is free now.
    ///   True once for all earlier refusals.
    func finished(_ count: Int) -> Bool {
        state.withLock { state in
            state.count -= count
            guard state.wasRefused, state.count <= capacity / 2 else { return false }
            state.wasRefused = false
            return true
        }
    }
}

extension UpdateQueue {
    /// Queues a value of a characteristic for the subscribed centrals; all of them if `centrals` is nil.
    ///
    /// - Parameter send: run on the loop when it has to be woken.
    /// - Returns: false if there is no room.
    func take(
        _ value: Data, for characteristic: CBMutableCharacteristic, on centrals: [CBCentral]?,
        send: @escaping @LoopActor () -> Void
    ) -> Bool {
        let chosen = centrals.map { $0.map(ObjectIdentifier.init) }
        switch offer(value, to: ObjectIdentifier(characteristic), only: chosen) {
        case .noReceiver, .queued: return true
        case .queuedFirst:
            MainLoop.shared.async { send() }
            return true
        case .full: return false
        }
    }
}
