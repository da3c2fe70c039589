/// Bluetooth Low Energy in the central role, for one peripheral at a time.
///
/// All work goes through one queue, in the order of the calls. The API is used on the main queue (`DispatchQueue.main`,
/// drained by `dispatchMain()`, `RunLoop.main.run()` or an asynchronous `main`) and calls back there, except inside a
/// background task. Every completion is called exactly once, except a listen's, which is called for every value.
///
/// Beside the calls with completions there are asynchronous ones of the same names, for use from any actor and task; see
/// <doc:AsyncAwait>.
///
/// Observers are held weakly. When the last reference to the instance goes, what is queued fails with
/// ``BluejayError/cancelled`` and a connected peripheral is disconnected.
// @unchecked: all mutable state is touched on the main queue only. The calls that insist on that queue end the program
// elsewhere (MainQueue.require); the others go there by MainQueue. `log` is Sendable by itself.
public class Bluejay: NSObject, CBCentralManagerDelegate, @unchecked Swift.Sendable {
    typealias Link = LinkMachine<ConnectOperation, ConnectedPeripheral>

    /// How long to wait for the confirmation of a disconnect before going on without it, in seconds.
    static let disconnectConfirmationTimeout: TimeInterval = 10

    /// Identifies the instance in logs.
    public let uuid = UUID()

    /// The options of connections that are made without any. Without effect on Linux.
    public private(set) var defaultWarningOptions = WarningOptions.default

    let log: Log
    let timekeeper: any Timekeeper
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

    /// Creates an instance. Nothing happens with Bluetooth until ``start(mode:)``.
    ///
    /// - Parameter logObserver: receives the log from the first message on; as if registered by
    ///   ``register(logObserver:)``.
    public convenience init(logObserver: LogObserver? = nil) {
        self.init(logObserver: logObserver, log: Log(), timekeeper: DispatchTimekeeper())
    }

    init(logObserver: LogObserver?, log: Log, timekeeper: any Timekeeper) {
        self.log = log
        self.timekeeper = timekeeper
        queue = OperationFIFO(log: log)
        confirmation = Deadline(timekeeper)
        startup = Deadline(timekeeper)
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

    /// What speaks against starting an operation that has reached the head of the queue.
    private func refusal(of operation: QueuedOperation) -> (any Error)? {
        guard central?.state == .poweredOn else { return BluejayError.bluetoothUnavailable }
        return operation.requirement == .connection ? link.refusalOfStart : nil
    }
}
