/// What carries out connecting and disconnecting, and keeps the state of the link.
protocol LinkControl: AnyObject {
    /// The operation begins to connect.
    func connecting(_ operation: ConnectOperation)
    /// The operation begins to disconnect.
    func disconnecting(_ operation: DisconnectOperation)
    /// Ends a connection or gives up a pending one. A disconnect event follows for certain.
    func drop(_ peripheral: CBPeripheral)
}

/// Connects to a peripheral.
///
/// A failed attempt ends with the disconnect event, and its completion is called late in the clean-up that the event
/// starts; see `close()` and `reportFailure()`.
final class ConnectOperation: QueuedOperation {
    let peripheral: CBPeripheral
    let identifier: PeripheralIdentifier
    let warningOptions: WarningOptions
    /// Whether the attempt takes up one that an earlier run of the program left pending: connection observers and the
    /// disconnect handler hear nothing of its failure, and it is not repeated.
    let isRestoration: Bool
    private let timeout: Timeout
    private weak var control: (any LinkControl)?
    private let timekeeper: any Timekeeper
    private let completion: Once<ConnectionResult>
    private var alarm: Alarm?
    /// Why the attempt was given up; nil while it goes on.
    private(set) var failure: (any Error)?
    /// Whether it was given up because its time was over.
    private(set) var isTimedOut = false

    init(
        to peripheral: CBPeripheral, _ identifier: PeripheralIdentifier, timeout: Timeout,
        warningOptions: WarningOptions, isRestoration: Bool, control: any LinkControl, timekeeper: any Timekeeper,
        completion: Once<ConnectionResult>
    ) {
        self.peripheral = peripheral
        self.identifier = identifier
        self.timeout = timeout
        self.warningOptions = warningOptions
        self.isRestoration = isRestoration
        self.control = control
        self.timekeeper = timekeeper
        self.completion = completion
    }

    override var summary: String { "connection to \(identifier.description)" }
    override var requirement: Requirement { .bluetooth }

    override func start() {
        control?.connecting(self)
        guard let seconds = timeout.interval else { return }
        alarm = timekeeper.after(seconds) { [weak self] in self?.timeIsOver() }
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        // A connection that comes up after the attempt was given up is ended by the pending cancellation.
        guard case .connected = event, failure == nil else { return false }
        alarm?.cancel()
        complete { completion(.success(PeripheralIdentifier(peripheral))) }
        return true
    }

    /// A running attempt is given up, and ends when CoreBluetooth has confirmed that.
    override func fail(_ error: any Error, atOnce: Bool = false) {
        if phase != .running || atOnce { return super.fail(error, atOnce: atOnce) }
        giveUp(error)
    }

    override func interrupt() {
        alarm?.cancel()
    }

    override func report(_ error: any Error) {
        completion(.failure(error))
    }

    /// The disconnect event has arrived: leaves the queue.
    func close() {
        alarm?.cancel()
        failure = failure ?? BluejayError.unexpectedDisconnect
        complete {}
    }

    /// Calls the completion of an attempt that was closed.
    func reportFailure() {
        completion(.failure(failure ?? BluejayError.unexpectedDisconnect))
    }

    private func timeIsOver() {
        guard phase == .running, failure == nil else { return }
        isTimedOut = true
        // What waits behind this attempt is lost with it; what comes later is not.
        queue?.failAll(BluejayError.connectionTimedOut)
    }

    private func giveUp(_ error: any Error) {
        guard failure == nil else { return }
        failure = error
        alarm?.cancel()
        control?.drop(peripheral)
    }
}
