/// Ends the connection when its turn comes.
///
/// It leaves the queue at the disconnect event; its completion is called late in the clean-up that the event starts.
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

    /// The disconnect event has arrived: leaves the queue.
    func close() {
        complete {}
    }
}
