/// A listen that adds its values to a buffer.
// @unchecked: used on the main queue only.
final class StreamedListen: @unchecked Swift.Sendable {
    private let characteristic: CharacteristicIdentifier
    private let buffer: AsyncBuffer<Data>
    /// The values end when none has arrived for this many seconds.
    private let silence: TimeInterval?
    private weak var bluejay: Bluejay?
    private weak var peripheral: ConnectedPeripheral?
    private weak var listener: Listener?
    private let deadline: Deadline

    init(
        to characteristic: CharacteristicIdentifier, into buffer: AsyncBuffer<Data>, silence: TimeInterval? = nil,
        _ bluejay: Bluejay
    ) {
        self.characteristic = characteristic
        self.buffer = buffer
        self.silence = silence
        self.bluejay = bluejay
        deadline = Deadline(bluejay.clock)
    }

    /// Begins the listen. The call ends when the peripheral has confirmed it, or when the listen fails.
    func begin(_ option: MultipleListenOption, _ call: AwaitedCall<Void>) {
        guard let bluejay else { return call.finish(.failure(BluejayError.cancelled)) }
        let peripheral: ConnectedPeripheral
        switch bluejay.usablePeripheral() {
        case .success(let present): peripheral = present
        case .failure(let error): return call.finish(.failure(error))
        }
        self.peripheral = peripheral
        // If the listener is released without being called, the call and the sequence still end.
        let end = Completion<(any Error)?>(fallback: BluejayError.cancelled) { [weak self, buffer] error in
            self?.deadline.clear()
            buffer.close(error)
            call.finish(error.map { .failure($0) } ?? .success(()))
        }
        let listener = Listener(option: option) { [weak self, buffer] result in
            switch result {
            case .success(let value?):
                buffer.append(value)
                self?.restartSilence()
            case .success(nil): end(BluejayError.missingData)
            case .failure(let error): end(error)
            }
        }
        listener.onSilentEnd = { end($0) }
        listener.onInstalled = { [weak self] in
            call.finish(.success(()))
            self?.restartSilence()
        }
        self.listener = listener
        let operation = bluejay.queueListen(listener, to: characteristic, on: peripheral)
        call.onCancel = { [weak operation] in
            if let operation { self.cancel(operation) }
        }
    }

    /// Ends the listen, unless it has ended already. Other listens of the characteristic stay.
    func end() {
        deadline.clear()
        guard let bluejay, let listener, let peripheral, bluejay.connected === peripheral else { return }
        if peripheral.listeners.withdraw(listener, characteristic) { turnOff(bluejay, peripheral) }
    }

    /// The task that waited for the beginning of the listen was cancelled.
    private func cancel(_ operation: QueuedOperation) {
        guard let bluejay, let peripheral, bluejay.connected === peripheral else { return }
        let wasRunning = operation.phase == .running
        bluejay.queue.hold {
            bluejay.queue.fail(operation, CancellationError())
            // The peripheral has been asked to notify, so it has to be asked to stop.
            if wasRunning, !peripheral.listeners.isListening(to: characteristic) { turnOff(bluejay, peripheral) }
        }
    }

    private func turnOff(_ bluejay: Bluejay, _ peripheral: ConnectedPeripheral) {
        bluejay.queueEndListen(
            to: characteristic, on: peripheral, Completion(fallback: .failure(BluejayError.cancelled)) { _ in })
    }

    private func restartSilence() {
        guard let silence, listener?.isEnded == false else { return }
        deadline.set(in: silence) { [buffer] in buffer.close() }
    }
}
