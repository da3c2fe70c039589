/// Ends the connection when its turn comes.
///
/// It leaves the queue at the disconnect event; its completion is called late in the clean-up that the event starts.
final class DisconnectOperation: QueuedOperation {
    private weak var control: (any LinkControl)?
    let completion: Completion<DisconnectionResult>

    init(control: any LinkControl, completion: Completion<DisconnectionResult>) {
        self.control = control
        self.completion = completion
    }

    override var summary: String { "disconnection" }

    override func start() {
        control?.disconnectStarted(self)
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }

    /// The disconnect event has arrived: leaves the queue.
    func close() {
        complete {}
    }
}
