import MainLoop

/// Scans for peripherals.
final class ScanOperation: QueuedOperation {
    /// What the program asked for.
    struct Request {
        /// Seconds; zero for no limit.
        let duration: TimeInterval
        let allowDuplicates: Bool
        let throttleRSSIDelta: Int
        /// Nil for all.
        let services: [ServiceIdentifier]?
        let discovery: (ScanDiscovery, [ScanDiscovery]) -> ScanAction
        let expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)?
    }

    /// What the scan has found, and an error unless its end was intended.
    typealias Outcome = ([ScanDiscovery], (any Error)?)
    /// Connects to a discovered peripheral after the scan.
    typealias Connector = (ScanDiscovery, Timeout, WarningOptions, @escaping (ConnectionResult) -> Void) -> Void

    private let request: Request
    private let central: CBCentralManager
    private let clock: any Clock
    private let connect: Connector
    private let stopped: Completion<Outcome>
    private var found: DiscoveryList
    /// For the whole scan.
    private let duration: Deadline
    /// For another sighting of the peripheral that has been unseen the longest.
    private let expiry: Deadline

    init(
        _ request: Request, central: CBCentralManager, clock: any Clock, connect: @escaping Connector,
        stopped: Completion<Outcome>
    ) {
        self.request = request
        self.central = central
        self.clock = clock
        duration = Deadline(clock)
        expiry = Deadline(clock)
        self.connect = connect
        self.stopped = stopped
        found = DiscoveryList(throttleRSSIDelta: request.throttleRSSIDelta)
    }

    override var summary: String { "scan" }
    override var requirement: Requirement { .bluetooth }

    override func start() {
        central.scanForPeripherals(
            withServices: request.services?.map(\.uuid),
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: request.allowDuplicates])
        if request.duration > 0 {
            duration.set(in: request.duration) { [weak self] in self?.stop() }
        }
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .discovered(let peripheral, let advertisement, let rssi) = event else { return false }
        let discovery = ScanDiscovery(
            peripheralIdentifier: PeripheralIdentifier(peripheral), advertisementPacket: advertisement, rssi: rssi)
        let isAccepted = found.accept(discovery, at: clock.now)
        if request.allowDuplicates, !expiry.isSet { awaitExpiry() }
        if isAccepted { follow(request.discovery(discovery, found.discoveries), discovery) }
        return true
    }

    override func interrupt() {
        duration.clear()
        expiry.clear()
        central.stopScan()
    }

    override func report(_ error: any Error) {
        stopped((found.discoveries, error))
    }

    /// Ends the scan without an error, even if it is still queued.
    func stop() {
        guard phase != .ended else { return }
        if phase == .running { interrupt() }
        complete { stopped((found.discoveries, nil)) }
    }

    private func follow(_ action: ScanAction, _ discovery: ScanDiscovery) {
        // The closure may have ended the scan itself.
        guard phase == .running else {
            // Its completion must be called in any case.
            if case .connect(let target, let timeout, let options, let completion) = action {
                connect(target, timeout, options, completion)
            }
            return
        }
        switch action {
        case .continue: break
        case .blacklist: found.silence(discovery.peripheralIdentifier)
        case .stop: stop()
        case .connect(let target, let timeout, let options, let completion):
            let queue = queue
            // Held, so that nothing that `stopped` queues starts before the connection is queued.
            queue?.hold {
                stop()
                connect(target, timeout, options, completion)
            }
        }
    }

    /// Sets one deadline for all peripherals, to the earliest expiry. A sighting changes the expiry, not the deadline.
    private func awaitExpiry() {
        guard phase == .running, let next = found.nextExpiry else { return }
        expiry.set(in: next - clock.now) { [weak self] in self?.removeExpired() }
    }

    private func removeExpired() {
        while phase == .running, let lost = found.removeExpired(at: clock.now) {
            switch request.expired?(lost, found.discoveries) {
            case .stop?: stop()
            case .connect(let target, _, _, let completion)?:
                // A lost peripheral cannot be connected, but the completion must be called.
                completion(.failure(BluejayError.unexpectedPeripheral(target.peripheralIdentifier)))
            case .continue?, .blacklist?, nil: break
            }
        }
        awaitExpiry()
    }
}
