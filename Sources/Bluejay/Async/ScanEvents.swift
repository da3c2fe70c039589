/// A report of a scan.
public enum ScanEvent: Swift.Sendable {
    /// A peripheral was found, or was found again with another signal strength.
    case discovered(ScanDiscovery)
    /// A peripheral has not been seen for 15 seconds. Reported only if duplicates are allowed.
    case expired(ScanDiscovery)
}

/// A scan as a sequence.
///
/// Returned by ``Bluejay/scan(duration:allowDuplicates:throttleRSSIDelta:serviceIdentifiers:buffering:)``, which
/// documents how it ends. Each loop over it is a separate scan.
public struct ScanEvents: AsyncSequence, Swift.Sendable {
    /// A report of the scan.
    public typealias Element = ScanEvent
    /// Any error that may end the loop.
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

    /// Begins a loop. The scan is queued at the first call of `next`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(StreamedScan(request, bluejay))
    }

    /// Scans from the first call of `next` until the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        private let scan: StreamedScan
        private let cancellation: CancelOnDeinit
        private var hasStarted = false

        fileprivate init(_ scan: StreamedScan) {
            self.scan = scan
            cancellation = CancelOnDeinit { scan.end() }
        }

        /// The next event; nil when the scan has ended without an error.
        ///
        /// - Throws: why the scan was refused or has failed, or `CancellationError`. After that, nil follows.
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

        /// The same for callers that do not pass their actor.
        public mutating func next() async throws -> ScanEvent? {
            try await next(isolation: nil)
        }
    }
}

/// A scan that adds its events to a buffer.
// @unchecked: the buffer is Sendable, and the rest is used on the main queue only.
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

    /// Ends the scan, even if it is still queued.
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
    /// Each loop queues a scan when it begins. The scan ends
    /// - when the program leaves the loop,
    /// - when the task is cancelled: the loop throws `CancellationError`,
    /// - after its duration, at ``stopScanning()``, or when a connection is requested: the loop ends without an error,
    ///   after the events that are still in the buffer,
    /// - with an error, which the loop throws: ``BluejayError/multipleScanNotSupported`` if there is one already,
    ///   ``BluejayError/backgroundTaskRunning``, ``BluejayError/disconnectQueued``,
    ///   ``BluejayError/bluetoothUnavailable``, ``BluejayError/stopped``, or the error of
    ///   ``cancelEverything(error:shouldDisconnect:)``.
    ///
    /// The sequence does not retain the Bluejay instance. When the instance is released, the loop throws
    /// ``BluejayError/cancelled``.
    ///
    /// - Parameters:
    ///   - duration: seconds from the actual start of the scan; 0 for no limit.
    ///   - allowDuplicates: whether to report every advertisement of a peripheral (subject to throttling), not only the
    ///     first, and to report peripherals that have not been seen for 15 seconds.
    ///   - throttleRSSIDelta: a peripheral is reported again only if its signal strength has changed by at least this
    ///     many dBm since the last report; 0 for always.
    ///   - serviceIdentifiers: only peripherals that advertise one of these services are reported; nil for all.
    ///   - policy: what happens to events that arrive faster than the loop takes them. Default: all of them are kept.
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
