/// Ends the connection when its turn comes.
///
/// It leaves the queue at the disconnect event. Its completion is called later, after the connection observers.
final class DisconnectOperation: QueuedOperation {
    private weak var delegate: (any LinkOperationDelegate)?
    let completion: Completion<DisconnectionResult>

    init(delegate: any LinkOperationDelegate, completion: Completion<DisconnectionResult>) {
        self.delegate = delegate
        self.completion = completion
    }

    override var summary: String { "disconnection" }

    override func start() {
        delegate?.disconnectStarted(self)
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }

    /// Leaves the queue, because the disconnect event has arrived.
    func close() {
        complete {}
    }
}
