/// What a scan reports.
public enum ScanEvent: Swift.Sendable {
    /// A peripheral was found, or found again with another signal strength.
    case discovered(ScanDiscovery)
    /// A peripheral has not been seen for 15 seconds. Only if duplicates are allowed.
    case expired(ScanDiscovery)
}

/// A scan as a sequence.
///
/// Comes from ``Bluejay/scan(duration:allowDuplicates:throttleRSSIDelta:serviceIdentifiers:buffering:)``, which says how
/// it ends. Every loop over it is a scan of its own.
public struct ScanEvents: AsyncSequence, Swift.Sendable {
    /// What the scan reports.
    public typealias Element = ScanEvent
    /// Anything that may end the loop.
    public typealias Failure = any Error

    /// What to scan for.
    struct Request: Swift.Sendable {
        let duration: TimeInterval
        let allowDuplicates: Bool
        let throttleRSSIDelta: Int
        let services: [ServiceIdentifier]?
        let buffering: Bluejay.BufferingPolicy
    }

    private let request: Request
    private let bluejay: WeakReference

    init(_ request: Request, _ bluejay: Bluejay) {
        self.request = request
        self.bluejay = WeakReference(bluejay)
    }

    /// The discoveries alone.
    public var discoveries: AsyncCompactMapSequence<ScanEvents, ScanDiscovery> {
        compactMap { event in
            if case .discovered(let discovery) = event { discovery } else { nil }
        }
    }

    /// Begins a loop. The scan is queued when the first event is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(StreamedScan(request, bluejay))
    }

    /// Scans from the first call of `next` until the last copy goes.
    public struct Iterator: AsyncIteratorProtocol {
        private let scan: StreamedScan
        private let cancellation: CancelOnDeinit
        private var hasStarted = false

        fileprivate init(_ scan: StreamedScan) {
            self.scan = scan
            cancellation = CancelOnDeinit { scan.end() }
        }

        /// The next event; nil when the scan has ended as intended.
        ///
        /// - Throws: why the scan was refused or ended, or `CancellationError`; nil follows.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ScanEvent? {
            if !hasStarted {
                try Task.checkCancellation()
                hasStarted = true
                let scan = scan
                MainQueue.run { @Sendable in scan.begin() }
            }
            do {
                return try await scan.buffer.next()
            } catch {
                cancellation.cancel()
                throw error
            }
        }

        /// The same for callers that do not say where they run.
        public mutating func next() async throws -> ScanEvent? {
            try await next(isolation: nil)
        }
    }
}

/// A scan whose events go to a buffer.
// @unchecked: the buffer is Sendable, the rest is used on the main queue only.
private final class StreamedScan: @unchecked Swift.Sendable {
    let buffer: AsyncBuffer<ScanEvent>
    private let request: ScanEvents.Request
    private let bluejay: WeakReference
    private weak var operation: ScanOperation?

    init(_ request: ScanEvents.Request, _ bluejay: WeakReference) {
        self.request = request
        self.bluejay = bluejay
        buffer = AsyncBuffer(request.buffering)
    }

    func begin() {
        guard let bluejay = bluejay.object as? Bluejay else { return buffer.close(BluejayError.cancelled) }
        let request = ScanOperation.Request(
            duration: request.duration, allowDuplicates: request.allowDuplicates,
            throttleRSSIDelta: request.throttleRSSIDelta, services: request.services,
            discovery: { [buffer] discovery, _ in
                buffer.append(.discovered(discovery))
                return .continue
            },
            expired: { [buffer] discovery, _ in
                buffer.append(.expired(discovery))
                return .continue
            })
        let stopped = Completion<ScanOperation.Outcome>(fallback: ([], BluejayError.cancelled)) { [buffer] in
            buffer.close($0.1)
        }
        operation = bluejay.queueScan(request, stopped)
    }

    /// Ends the scan, also one that is still queued.
    func end() {
        operation?.stop()
        buffer.close()
    }
}

extension Bluejay {
    /// Scans for peripherals.
    ///
    ///     for try await discovery in bluejay.scan(serviceIdentifiers: [heartRate]).discoveries {
    ///         print(discovery.peripheralIdentifier.description, discovery.rssi)
    ///     }
    ///
    /// The scan is queued when the loop begins, once for every loop. It ends
    /// - when the loop is left,
    /// - when the task is cancelled: the loop throws `CancellationError`,
    /// - after its duration, at ``stopScanning()``, or when a connection is asked for: the loop ends without an error,
    ///   after what was found before,
    /// - with an error, which the loop throws: ``BluejayError/multipleScanNotSupported`` if there is one already,
    ///   ``BluejayError/backgroundTaskRunning``, ``BluejayError/disconnectQueued``, ``BluejayError/bluetoothUnavailable``,
    ///   ``BluejayError/stopped``, or what ``cancelEverything(error:shouldDisconnect:)`` was given.
    ///
    /// The sequence does not keep the instance alive; without it the loop throws ``BluejayError/cancelled``.
    ///
    /// - Parameters:
    ///   - duration: seconds from when the scan really starts; 0 for no limit.
    ///   - allowDuplicates: report every advertisement of a peripheral (subject to throttling), not only the first; and
    ///     report peripherals that have not been seen for 15 seconds.
    ///   - throttleRSSIDelta: report a peripheral again only if its signal strength has changed by at least this many dBm
    ///     since it was last reported; 0 to report always.
    ///   - serviceIdentifiers: report peripherals that advertise any of these services; nil for all peripherals.
    ///   - policy: what happens to events that arrive faster than they are taken. By default they are kept, however many.
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]?,
        buffering policy: BufferingPolicy = .unbounded
    ) -> ScanEvents {
        ScanEvents(
            ScanEvents.Request(
                duration: duration, allowDuplicates: allowDuplicates, throttleRSSIDelta: throttleRSSIDelta,
                services: serviceIdentifiers, buffering: policy),
            self)
    }
}
