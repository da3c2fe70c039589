/// What connecting and disconnecting operations report to. It asks the system to connect and to disconnect.
protocol LinkOperationDelegate: AnyObject {
    /// It is the attempt's turn.
    func attemptStarted(_ operation: ConnectOperation)
    /// The attempt has taken as long as it may.
    func attemptTimedOut(_ operation: ConnectOperation)
    /// The running attempt was failed. It is closed when the system has confirmed that.
    func attemptCancelled(_ operation: ConnectOperation, _ error: any Error)
    /// It is the disconnect's turn.
    func disconnectStarted(_ operation: DisconnectOperation)
}

/// Connects to a peripheral.
///
/// A failed attempt is closed at the disconnect event; its completion is called later, when others have been told.
final class ConnectOperation: QueuedOperation {
    let peripheral: CBPeripheral
    let identifier: PeripheralIdentifier
    let warningOptions: WarningOptions
    /// Whether the attempt takes up one that an earlier run of the program left pending: connection observers and the
    /// disconnect handler hear nothing of its failure, and it is not repeated.
    let isRestoration: Bool
    private let timeout: Timeout
    private weak var delegate: (any LinkOperationDelegate)?
    private let completion: Completion<ConnectionResult>
    /// For the connection; set while the attempt goes on.
    private let deadline: Deadline

    init(
        to peripheral: CBPeripheral, _ identifier: PeripheralIdentifier, timeout: Timeout,
        warningOptions: WarningOptions, isRestoration: Bool, delegate: any LinkOperationDelegate,
        timekeeper: any Timekeeper,
        completion: Completion<ConnectionResult>
    ) {
        self.peripheral = peripheral
        self.identifier = identifier
        self.timeout = timeout
        self.warningOptions = warningOptions
        self.isRestoration = isRestoration
        self.delegate = delegate
        deadline = Deadline(timekeeper)
        self.completion = completion
    }

    override var summary: String { "connection to \(identifier.description)" }
    override var requirement: Requirement { .bluetooth }

    override func start() {
        delegate?.attemptStarted(self)
        deadline.set(in: timeout.interval) { [weak self] in
            guard let self else { return }
            self.delegate?.attemptTimedOut(self)
        }
    }

    /// The peripheral is connected.
    func succeed() {
        deadline.clear()
        complete { completion(.success(PeripheralIdentifier(peripheral))) }
    }

    /// A running attempt is given up, and ends when CoreBluetooth has confirmed that.
    override func fail(_ error: any Error, atOnce: Bool = false) {
        if phase != .running || atOnce { return super.fail(error, atOnce: atOnce) }
        deadline.clear()
        delegate?.attemptCancelled(self, error)
    }

    override func interrupt() {
        deadline.clear()
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }

    /// The disconnect event has arrived: leaves the queue.
    func close() {
        deadline.clear()
        complete {}
    }
}
