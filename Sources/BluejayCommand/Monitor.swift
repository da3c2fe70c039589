import Bluejay
import GATTProfiles

/// Keeps a connection to a heart-rate sensor and shows what comes.
@MainActor
final class Monitor: @preconcurrency ConnectionObserver, @preconcurrency ServiceObserver {
    private let session: Session
    private let device: DeviceSelector?
    private let timeout: Double
    private let count: Int?

    private var received = 0
    private var waiting: CheckedContinuation<Void, any Error>?
    private var hasConnected = false
    private var isSearching = false
    private var isListening = false
    private var isOff = false
    /// Whether the device has heart rates, as far as is known.
    private var measuresHeartRate = true

    private static let heartRate = CharacteristicIdentifier(
        uuid: HeartRateService.measurement, service: ServiceIdentifier(uuid: HeartRateService.uuid))
    private static let chirp = CharacteristicIdentifier(
        uuid: ChirpService.chirp, service: ServiceIdentifier(uuid: ChirpService.uuid))

    /// - Parameters:
    ///   - device: the first heart-rate sensor that is found if nil.
    ///   - timeout: how long to look for it at first, in seconds; 0 for ever.
    ///   - count: end after so many heart rates.
    init(_ session: Session, device: DeviceSelector?, timeout: Double, count: Int?) {
        self.session = session
        self.device = device
        self.timeout = timeout
        self.count = count
    }

    private var output: Output { session.output }
    private var bluejay: Bluejay { session.bluejay }

    /// Monitors until the count or the duration, in seconds, is reached.
    func run(duration: Double?) async throws {
        session.reconnects = true
        bluejay.register(serviceObserver: self)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            waiting = continuation
            if let duration {
                DispatchQueue.main.asyncAfter(deadline: .now() + duration) {
                    MainActor.assumeIsolated { self.timeIsUp(duration) }
                }
            }
            // Tells at once that Bluetooth is on, which starts the search.
            bluejay.register(connectionObserver: self)
        }
        session.reconnects = false
        bluejay.unregister(connectionObserver: self)
    }

    private func timeIsUp(_ duration: Double) {
        guard let count else { return finish() }
        finish(Failure(.notInTime, "only \(received) of \(count) heart rates came in \(duration) s"))
    }

    private func finish(_ failure: Failure? = nil) {
        let continuation = waiting
        waiting = nil
        if let failure { continuation?.resume(throwing: failure) } else { continuation?.resume() }
    }

    // MARK: Finding

    private func search() {
        guard !isSearching, waiting != nil, !bluejay.isConnected, !bluejay.isConnecting else { return }
        isSearching = true
        if case .identifiers(let identifiers, let text)? = device, identifiers.count == 1 {
            return connect(PeripheralIdentifier(uuid: identifiers[0], name: text))
        }
        output.event("searching", "looking for \(device?.text ?? "a heart-rate sensor")")
        var found: PeripheralIdentifier?
        bluejay.scan(
            duration: hasConnected ? 0 : timeout,
            serviceIdentifiers: device == nil ? [Self.heartRate.service] : nil,
            discovery: { [device] discovery, _ in
                if let device, !device.matches(discovery) { return .continue }
                found = discovery.peripheralIdentifier
                return .stop
            },
            stopped: { [weak self] _, error in self?.searchEnded(found, error) })
    }

    private func searchEnded(_ found: PeripheralIdentifier?, _ error: (any Error)?) {
        if let found { return connect(found) }
        isSearching = false
        // Bluetooth has gone: the search starts again when it comes back.
        if error != nil { return }
        finish(Failure(.notInTime, "no \(device?.text ?? "heart-rate sensor") was found within \(timeout) s"))
    }

    private func connect(_ identifier: PeripheralIdentifier) {
        bluejay.connect(identifier, timeout: hasConnected || timeout == 0 ? .none : .seconds(timeout)) {
            [weak self] result in
            guard let self else { return }
            isSearching = false
            if case .failure(let error) = result, !hasConnected {
                finish(Failure(error, attempt: "cannot connect to \(identifier.name)"))
            }
        }
    }

    // MARK: Connection

    func bluetoothAvailable(_ available: Bool) {
        if available {
            isOff = false
            search()
        } else if !isOff {
            isOff = true
            isSearching = false
            isListening = false
            output.event("bluetooth-off", "Bluetooth is off or gone; waiting for it")
        }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        hasConnected = true
        isListening = true
        measuresHeartRate = true
        let address = CBPeer.bluetoothAddress(forIdentifier: peripheral.uuid)
        output.event("connected", "connected to \(peripheral.name)\(address.map { " " + $0 } ?? "")") { object in
            object.add("name", peripheral.name)
            object.add("address", address)
        }
        listenToHeartRate()
        listenToChirps()
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        // A failed attempt to connect again is reported, too.
        guard isListening else { return }
        isListening = false
        output.event("disconnected", "disconnected from \(peripheral.name)") { object in
            object.add("name", peripheral.name)
            object.add("address", CBPeer.bluetoothAddress(forIdentifier: peripheral.uuid))
        }
    }

    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
        let gone = invalidatedServices.map { service in
            service.uuid.name.map(AssignedNumbers.typedName) ?? service.uuid.uuidString
        }
        output.event(
            "services-changed",
            gone.isEmpty ? "there are new services" : "services have gone: " + gone.joined(separator: ", ")
        ) { object in
            object.add("invalidated", invalidatedServices.map(\.uuid.uuidString))
        }
        // What has gone may be back, or there may be another one.
        if (try? bluejay.isListening(to: Self.heartRate)) == false { listenToHeartRate() }
        if (try? bluejay.isListening(to: Self.chirp)) == false { listenToChirps() }
    }

    // MARK: Values

    /// Tries again with each change of services, and tells it once if there is nothing to listen to.
    private func listenToHeartRate() {
        bluejay.listen(to: Self.heartRate, multipleListenOption: .replaceable) {
            [weak self] (result: ReadResult<Data>) in
            self?.heartRate(result)
        }
    }

    private func heartRate(_ result: ReadResult<Data>) {
        switch result {
        case .success(let value):
            measuresHeartRate = true
            do throws(HeartRateMeasurement.DecodingError) {
                let measurement = try HeartRateMeasurement(bytes: value)
                output.event("heart-rate", measurement.text) { measurement.add(to: &$0) }
                received += 1
                if received == count { finish() }
            } catch {
                output.event("malformed", "malformed: \(error)") { $0.add("value", ValueText.hex(value)) }
            }
        case .failure(BluejayError.missingService), .failure(BluejayError.missingCharacteristic):
            guard measuresHeartRate else { break }
            measuresHeartRate = false
            output.event("no-heart-rate", "the device measures no heart rate")
            if received == 0 { finish(Failure(.noSuchCharacteristic, "the device measures no heart rate")) }
        // The end of the connection, or of the listen, is told elsewhere.
        case .failure: break
        }
    }

    private func listenToChirps() {
        // Not every sensor chirps, and one that does not is no less a sensor.
        bluejay.listen(to: Self.chirp, multipleListenOption: .replaceable) { [weak self] (result: ReadResult<Data>) in
            guard let self, case .success(let value) = result else { return }
            let text = ValueText.printable(value)
            let content = value.isEmpty ? "" : " " + (text.map { "\"\($0)\"" } ?? ValueText.hex(value))
            output.event("chirp", "chirp!\(content)") { object in
                object.add("value", ValueText.hex(value))
                object.add("text", text)
            }
        }
    }
}
