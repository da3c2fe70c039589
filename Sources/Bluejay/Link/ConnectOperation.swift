import MainLoop

/// Receives the progress of connecting and disconnecting operations, and asks the system to connect and disconnect.
protocol LinkOperationDelegate: AnyObject {
    /// It is the attempt's turn.
    func attemptStarted(_ operation: ConnectOperation)
    /// The attempt has taken as long as it may.
    func attemptTimedOut(_ operation: ConnectOperation)
    /// The running attempt was failed. It stays in the queue until the system has confirmed the cancellation.
    func attemptCancelled(_ operation: ConnectOperation, _ error: any Error)
    /// It is the disconnect's turn.
    func disconnectStarted(_ operation: DisconnectOperation)
}

/// Connects to a peripheral.
///
/// An attempt that fails leaves the queue at the disconnect event. Its completion is called later, after the connection
/// observers.
final class ConnectOperation: QueuedOperation {
    let peripheral: CBPeripheral
    let identifier: PeripheralIdentifier
    let warningOptions: WarningOptions
    /// Whether the attempt continues one of an earlier run of the program. Its failure is not reported to the
    /// connection observers and the disconnect handler, and it is not repeated.
    let isRestoration: Bool
    private let timeout: Timeout
    private weak var delegate: (any LinkOperationDelegate)?
    private let completion: Completion<ConnectionResult>
    /// For the connection. Set while the attempt is under way.
    private let deadline: Deadline

    init(
        to peripheral: CBPeripheral, _ identifier: PeripheralIdentifier, timeout: Timeout,
        warningOptions: WarningOptions, isRestoration: Bool, delegate: any LinkOperationDelegate,
        clock: any Clock,
        completion: Completion<ConnectionResult>
    ) {
        self.peripheral = peripheral
        self.identifier = identifier
        self.timeout = timeout
        self.warningOptions = warningOptions
        self.isRestoration = isRestoration
        self.delegate = delegate
        deadline = Deadline(clock)
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

    /// Gives a running attempt up. It ends when CoreBluetooth has confirmed that.
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

    /// Leaves the queue, because the disconnect event has arrived.
    func close() {
        deadline.clear()
        complete {}
    }
}
