import MainLoop

/// Bluetooth Low Energy in the central role, for one peripheral at a time.
///
/// All work goes through one queue, in the order of the calls. The program calls this API on the main queue
/// (`DispatchQueue.main`, drained by `dispatchMain()`, `RunLoop.main.run()` or an asynchronous `main`) and is called
/// back there, except inside a background task. Every completion is called exactly once. The completion of a listen is
/// different: it is called for every value.
///
/// Most calls with completions also have an asynchronous form of the same name, for any actor and task; see
/// <doc:AsyncAwait>.
///
/// Observers are held weakly. When the last reference to the instance is released, queued operations fail with
/// ``BluejayError/cancelled`` and a connected peripheral is disconnected.
// @unchecked: all mutable state is used on the main queue only. Calls that require that queue end the program elsewhere
// (MainQueue.require); the others switch to it by MainQueue. `log` is Sendable by itself.
public class Bluejay: NSObject, CBCentralManagerDelegate, @unchecked Swift.Sendable {
    typealias Link = LinkMachine<ConnectOperation, ConnectedPeripheral>

    /// How long to wait for the confirmation of a disconnect before continuing without it, in seconds.
    static let disconnectConfirmationTimeout: TimeInterval = 10

    /// Identifies the instance in logs.
    public let uuid = UUID()

    /// The warning options of a connection whose request has none. No effect on Linux.
    public private(set) var defaultWarningOptions = WarningOptions.default

    let log: Log
    let clock: any Clock
    let queue: OperationFIFO

    // Lifecycle
    var central: CBCentralManager?
    var wasPoweredOn = false
    var shouldBroadcastErrors = false

    // Link
    var link = Link()
    /// For the confirmation of a disconnect.
    let confirmation: Deadline
    /// The completion of the disconnect that is under way.
    var disconnectCompletion: Completion<DisconnectionResult>?
    weak var connectOperation: ConnectOperation?
    weak var disconnectOperation: DisconnectOperation?
    weak var disconnectHandler: (any DisconnectHandler)?

    // Scanning
    weak var scanOperation: ScanOperation?

    // Observers
    var connectionObservers = WeakObservers<any ConnectionObserver>()
    var rssiObservers = WeakObservers<any RSSIObserver>()
    var serviceObservers = WeakObservers<any ServiceObserver>()

    // Async
    var rssiReads: [Completion<Result<Int, any Error>>] = []

    // BackgroundTask
    var runningTask: SynchronizedPeripheral?

    // Restoration
    var restoration: Restoration?
    /// For Bluetooth to be on when the program was started to restore something.
    let startup: Deadline

    /// Creates an instance. It does not use Bluetooth until ``start(mode:)``.
    ///
    /// - Parameter logObserver: receives the log from the first message on, as if it had been registered by
    ///   ``register(logObserver:)``.
    public convenience init(logObserver: LogObserver? = nil) {
        self.init(logObserver: logObserver, log: Log(), clock: DispatchClock(queue: .main))
    }

    init(logObserver: LogObserver?, log: Log, clock: any Clock) {
        self.log = log
        self.clock = clock
        queue = OperationFIFO(log: log)
        confirmation = Deadline(clock)
        startup = Deadline(clock)
        super.init()
        if let logObserver { log.register(logObserver) }
        queue.refusalOfStart = { [weak self] operation in
            guard let self else { return BluejayError.cancelled }
            return self.refusal(of: operation)
        }
        log.detail("Bluejay \(uuid.uuidString) initialized")
    }

    deinit {
        Teardown(
            queue: queue, central: central, link: link, scan: scanOperation,
            broadcastsErrors: shouldBroadcastErrors, connectionObservers: connectionObservers.living, log: log
        ).run()
        log.detail("Bluejay \(uuid.uuidString) deinitialized")
    }

    /// Why an operation that has reached the head of the queue cannot start; nil if it can.
    private func refusal(of operation: QueuedOperation) -> (any Error)? {
        guard central?.state == .poweredOn else { return BluejayError.bluetoothUnavailable }
        return operation.requirement == .connection ? link.refusalOfStart : nil
    }
}
