/// A listen that a background task waits for. Used on the main queue only, except that the task waits for `call`.
///
/// However the listen ends, the task is resumed exactly once, and the listener is removed.
final class BlockingListen {
    /// How long the listen may take.
    enum Limit {
        case none
        /// Seconds for the whole listen; then it fails with ``BluejayError/listenTimedOut``.
        case total(TimeInterval)
        /// Seconds without a value; then it ends without an error.
        case silence(TimeInterval)
    }

    /// How long the installation of a listen that waits for silence may take, in seconds: as long as an ATT
    /// transaction.
    static let installationLimit: TimeInterval = 30

    private enum State {
        case listening, ending, ended
    }

    /// The call of the task that waits.
    let call = BlockingCall<Void>()
    private let characteristic: CharacteristicIdentifier
    private let limit: Limit
    private let bluejay: Bluejay
    private let peripheral: ConnectedPeripheral
    /// Handles a value and decides whether to continue.
    private let handle: (Data) throws -> ListenAction
    private let onEnd: (BlockingListen) -> Void
    private var state = State.listening
    private let deadline: Deadline
    private var isInstalled = false
    private weak var listener: Listener?
    /// Called if the listen fails, so that a write that was queued behind it can be cancelled.
    var onFailure: ((any Error) -> Void)?

    init(
        to characteristic: CharacteristicIdentifier, limit: Limit, _ bluejay: Bluejay,
        _ peripheral: ConnectedPeripheral, onEnd: @escaping (BlockingListen) -> Void,
        handle: @escaping (Data) throws -> ListenAction
    ) {
        self.characteristic = characteristic
        self.limit = limit
        self.bluejay = bluejay
        deadline = Deadline(bluejay.clock)
        self.peripheral = peripheral
        self.onEnd = onEnd
        self.handle = handle
    }

    func begin() {
        let listener = Listener(option: .trap) { [self] in received($0) }
        listener.onInstalled = { [weak self] in self?.installed() }
        self.listener = listener
        switch limit {
        case .none: break
        case .total(let seconds): setDeadline(seconds)
        // Silence counts from the confirmation of the peripheral, which may take longer than the silence.
        case .silence(let seconds): setDeadline(max(seconds, Self.installationLimit))
        }
        bluejay.queueListen(listener, to: characteristic, on: peripheral)
    }

    /// Ends the listen with an error, because no more values can arrive.
    func interrupt(_ error: any Error) {
        switch state {
        case .listening: end(error)
        // The end of the listen is an operation in the queue, which fails it if necessary.
        case .ending, .ended: break
        }
    }

    /// Whether the listen is neither ending nor has ended.
    var isListening: Bool { state == .listening }

    private func installed() {
        isInstalled = true
        restartSilence()
    }

    private func received(_ result: ReadResult<Data?>) {
        guard state == .listening else { return }
        // If the listener has ended, there is nothing to turn off. If it was refused because of another listen, that
        // one must stay.
        if case .failure(let error) = result, listener?.isEnded ?? true { return finish(.failure(error)) }
        do {
            switch result {
            case .success(let value?):
                restartSilence()
                if try handle(value) == .done { end(nil) }
            case .success(nil): throw BluejayError.missingData
            case .failure(let error): throw error
            }
        } catch {
            end(error)
        }
    }

    private func restartSilence() {
        guard case .silence(let seconds) = limit, state == .listening else { return }
        setDeadline(seconds)
    }

    private func setDeadline(_ seconds: TimeInterval) {
        deadline.set(in: seconds) { [weak self] in self?.timeIsOver() }
    }

    private func timeIsOver() {
        if case .silence = limit, isInstalled { return end(nil) }
        end(BluejayError.listenTimedOut)
        // The peripheral may be the reason for the time-out, so the task does not wait for its confirmation.
        finish(.failure(BluejayError.listenTimedOut))
    }

    /// Turns notifications off, then resumes the task.
    private func end(_ error: (any Error)?) {
        // The closure that handles values may have caused the end.
        guard state == .listening else { return }
        state = .ending
        deadline.clear()
        let completion = Completion<WriteResult>(fallback: .failure(BluejayError.cancelled)) { [self] result in
            finish(error.map { .failure($0) } ?? result.asResult)
        }
        guard bluejay.connected === peripheral else {
            return completion(.failure(BluejayError.notConnected))
        }
        bluejay.queueEndListen(to: characteristic, on: peripheral, completion)
    }

    private func finish(_ result: Result<Void, any Error>) {
        guard state != .ended else { return }
        state = .ended
        deadline.clear()
        if case .failure(let error) = result { onFailure?(error) }
        onFailure = nil
        call.finish(result)
        onEnd(self)
    }
}
