extension Bluejay {
    /// Scans for peripherals. Main queue only.
    ///
    /// The scan waits for its turn in the queue. It ends after its duration, when a closure returns so, at
    /// ``stopScanning()``, when a connection is requested, or with an error. It is refused with
    /// ``BluejayError/multipleScanNotSupported`` if there is one already, ``BluejayError/backgroundTaskRunning``,
    /// ``BluejayError/disconnectQueued``, and ``BluejayNotStartedError``.
    ///
    /// - Parameters:
    ///   - duration: seconds from the actual start of the scan; 0 for no limit.
    ///   - allowDuplicates: whether to report every advertisement of a peripheral (subject to throttling), not only the
    ///     first, and to remove peripherals that have not been seen for 15 seconds.
    ///   - throttleRSSIDelta: a peripheral is reported again only if its signal strength has changed by at least this
    ///     many dBm since the last report; 0 for always.
    ///   - serviceIdentifiers: only peripherals that advertise one of these services are reported; nil for all.
    ///   - discovery: receives the peripheral and everything found so far, in the order of the first sightings. Its
    ///     result decides how to continue.
    ///   - expired: receives a peripheral that has not been seen for 15 seconds, and those that are left. Only the
    ///     result ``ScanAction/stop`` has an effect; the completion of a ``ScanAction/connect(_:_:_:_:)`` fails with
    ///     ``BluejayError/unexpectedPeripheral(_:)``.
    ///   - stopped: receives what was found, and an error unless the end was intended. Called exactly once.
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]?,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping ([ScanDiscovery], Error?) -> Void
    ) {
        MainQueue.require()
        let request = ScanOperation.Request(
            duration: duration, allowDuplicates: allowDuplicates, throttleRSSIDelta: throttleRSSIDelta,
            services: serviceIdentifiers, discovery: discovery, expired: expired)
        queueScan(request, Completion(fallback: ([], BluejayError.cancelled)) { stopped($0.0, $0.1) })
    }

    /// - Returns: the scan; nil if it was refused.
    @discardableResult func queueScan(
        _ request: ScanOperation.Request, _ stopped: Completion<ScanOperation.Outcome>
    ) -> ScanOperation? {
        let refusal = refusal(of: .scan)
        guard refusal == nil, let central else {
            stopped(([], refusal))
            return nil
        }
        if request.services?.isEmpty ?? true {
            log("Scanning without service identifiers takes more power and time than with them")
        }
        let scan = ScanOperation(
            request, central: central, clock: clock,
            connect: { [weak self] discovery, timeout, options, completion in
                let completion = Completion(fallback: .failure(BluejayError.cancelled), completion)
                self?.queueConnection(
                    to: discovery.peripheralIdentifier, timeout: timeout, warningOptions: options,
                    completion: completion)
            },
            stopped: stopped)
        scanOperation = scan
        queue.append([scan])
        return scan
    }

    /// Ends the scan without an error, even if it is still queued. Main queue only.
    public func stopScanning() {
        MainQueue.require()
        if runningTask != nil { return log("stopScanning is ignored while a background task is running") }
        guard let scan = pendingScan else { return log("No scan to stop") }
        scan.stop()
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        MainQueue.requireForManager()
        _ = queue.process(
            .discovered(peripheral, advertisement: advertisementData, rssi: RSSI.intValue))
    }
}
