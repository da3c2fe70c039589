import Bluejay
import CoreBluetooth
import GATTProfiles
import MainLoop
import PlainText

/// The heart-rate sensor's program.
@MainActor
final class Demo {
    /// A characteristic that it can listen to.
    enum Source: String, CaseIterable {
        case rate, chirp

        var characteristic: CharacteristicIdentifier {
            switch self {
            case .rate: .heartRate
            case .chirp: .chirp
            }
        }
    }

    let bluejay: Bluejay
    let log: DemoLog
    private let device: DeviceSelector?
    private var input: DemoInput?
    private var signals: SignalWatch?
    /// Whether to connect as soon as Bluetooth is on.
    private var connectsWhenOn = false
    /// Whether the program ends with its terminal.
    private(set) var isStartedByAgent = false

    init(_ log: DemoLog, device: DeviceSelector?) {
        self.log = log
        self.device = device
        bluejay = Bluejay()
    }

    /// Starts Bluejay with restoration on.
    func start(restoreIdentifier: String, isIdle: Bool) {
        let config = BackgroundRestoreConfig(
            restoreIdentifier: restoreIdentifier, backgroundRestorer: self, listenRestorer: self,
            launchOptions: Bluejay.launchOptions)
        isStartedByAgent = config.isRestoringFromBackground
        connectsWhenOn = !isIdle && !isStartedByAgent
        log.event("started", isStartedByAgent ? "started by the agent" : "started") { object in
            object.add("pid", Int(getpid()))
            object.add("restoring", isStartedByAgent)
        }
        bluejay.start(mode: .new(StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))))
        bluejay.register(connectionObserver: self)
        bluejay.register(serviceObserver: self)
        input = DemoInput { [weak self] line in self?.handle(line) }
        signals = SignalWatch(SignalWatch.ending, queue: .main) { [weak self] _ in
            MainActor.assumeIsolated { self?.quit() }
        }
    }

    // MARK: Commands

    private func handle(_ line: String?) {
        guard let line else {
            if !isStartedByAgent { quit() }
            return
        }
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.dropFirst().first.flatMap(Source.init(rawValue:))) {
        case ("scan", _): scan()
        case ("connect", _): connect()
        case ("listen", let source?): listen(to: source)
        case ("end", let source?): endListen(to: source)
        case ("pair", _): pair()
        case ("crash", _):
            log.event("crash", "killing itself")
            kill(getpid(), SIGKILL)
        case ("disconnect", _): disconnect()
        case ("quit", _): quit()
        case (nil, _): break
        default: log.event("unknown", "no such command: \(line)")
        }
    }

    private func scan() {
        bluejay.scan(
            duration: 10, serviceIdentifiers: [Source.rate.characteristic.service],
            discovery: { [log] discovery, _ in
                log.event("found", "\(discovery.peripheralIdentifier.name), \(discovery.rssi) dBm")
                return .continue
            },
            stopped: { [log] found, _ in log.event("scanned", "\(found.count) found") })
    }

    func connect() {
        if case .identifiers(let identifiers, let text)? = device, let identifier = identifiers.first {
            return connect(to: PeripheralIdentifier(uuid: identifier, name: text))
        }
        var found: PeripheralIdentifier?
        bluejay.scan(
            serviceIdentifiers: [Source.rate.characteristic.service],
            discovery: { discovery, _ in
                found = discovery.peripheralIdentifier
                return .stop
            },
            stopped: { [weak self] _, error in
                MainActor.assumeIsolated {
                    if let found { self?.connect(to: found) } else { self?.failed("scan", error) }
                }
            })
    }

    private func connect(to identifier: PeripheralIdentifier) {
        log.event("connecting", "connecting to \(identifier.name)")
        bluejay.connect(identifier) { [weak self] result in
            MainActor.assumeIsolated {
                switch result {
                case .success: for source in Source.allCases { self?.listen(to: source) }
                case .failure(let error): self?.failed("connect", error)
                }
            }
        }
    }

    func listen(to source: Source) {
        bluejay.listen(to: source.characteristic, multipleListenOption: .replaceable) {
            [weak self] (result: ReadResult<Data>) in
            MainActor.assumeIsolated {
                switch result {
                case .success(let value): self?.received(value, from: source, isUnhandled: false)
                case .failure(let error): self?.failed("listen to \(source.rawValue)", error)
                }
            }
        }
        // A listen has no completion of its own. The queue is in order, so this completion comes after it.
        bluejay.read(from: .sensorLocation) { [log] (_: ReadResult<Data>) in
            log.event("listening", "listening to \(source.rawValue)") { $0.add("source", source.rawValue) }
        }
    }

    private func endListen(to source: Source) {
        bluejay.endListen(to: source.characteristic) { [log] result in
            if case .failure(let error) = result {
                return log.event("failed", "end: \(error.localizedDescription)")
            }
            log.event("ended", "no longer listening to \(source.rawValue)") { $0.add("source", source.rawValue) }
        }
    }

    private func pair() {
        bluejay.read(from: .pairingText) { [log] (result: ReadResult<String>) in
            switch result {
            case .success(let text): log.event("paired", text)
            case .failure(let error): log.event("failed", "pair: \(error.localizedDescription)")
            }
        }
    }

    private func disconnect() {
        bluejay.disconnect { [log] result in
            if case .failure(let error) = result {
                log.event("failed", "disconnect: \(error.localizedDescription)")
            }
        }
    }

    private func quit() {
        log.event("quit", "ending")
        guard bluejay.isConnected || bluejay.isConnecting else { log.exit() }
        bluejay.disconnect(immediate: true) { [log] _ in log.exit() }
        DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) { [log] in log.exit() }
    }

    private func failed(_ what: String, _ error: (any Error)?) {
        let text = error?.localizedDescription ?? "nothing was found"
        log.event("failed", "\(what): \(text)") { $0.add("reason", "\(what): \(text)") }
    }

    // MARK: Values

    func received(_ value: Data?, from source: Source, isUnhandled: Bool) {
        let value = value ?? Data()
        let content: String
        switch source {
        case .rate:
            let measurement = try? HeartRateMeasurement(bytes: value)
            content = measurement.map { "\($0.rate) bpm" } ?? ValueText.hex(value)
        case .chirp: content = "chirp! " + (ValueText.printable(value) ?? ValueText.hex(value))
        }
        log.event(isUnhandled ? "unhandled" : "value", content) { object in
            object.add("source", source.rawValue)
            object.add("value", ValueText.hex(value))
        }
        if source == .chirp { log.notify(content) }
    }
}

extension Demo: @preconcurrency BackgroundRestorer, @preconcurrency ListenRestorer {
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        log.event("restored", "the connection to \(peripheral.name) is restored")
        return .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier, error: Error
    ) -> BackgroundRestoreCompletion {
        log.event("not-restored", "the connection to \(peripheral.name) was lost: \(error.localizedDescription)") {
            $0.add("reason", "\(error)")
        }
        return .callback { [weak self] in MainActor.assumeIsolated { self?.connect() } }
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier, on characteristic: CharacteristicIdentifier, with value: Data?
    ) -> ListenRestoreAction {
        guard let source = Source.allCases.first(where: { $0.characteristic == characteristic }) else {
            return .stopListen
        }
        received(value, from: source, isUnhandled: true)
        if (try? bluejay.isListening(to: characteristic)) == false { listen(to: source) }
        return .promiseRestoration
    }
}

extension Demo: @preconcurrency ConnectionObserver, @preconcurrency ServiceObserver {
    func bluetoothAvailable(_ available: Bool) {
        log.event(available ? "on" : "off", available ? "Bluetooth is on" : "Bluetooth is off")
        guard available, connectsWhenOn else { return }
        connectsWhenOn = false
        connect()
    }

    func connected(to peripheral: PeripheralIdentifier) {
        log.event("connected", "connected to \(peripheral.name)")
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        log.event("disconnected", "disconnected from \(peripheral.name)")
    }

    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
        log.event("services-changed", "\(invalidatedServices.count) services were removed") { object in
            object.add("invalidated", invalidatedServices.map(\.uuid.uuidString))
        }
    }
}

extension CharacteristicIdentifier {
    fileprivate static let heartRate = heartRateService(HeartRateService.measurement)
    fileprivate static let sensorLocation = heartRateService(HeartRateService.bodySensorLocation)
    fileprivate static let chirp = CharacteristicIdentifier(
        uuid: ChirpService.chirp, service: ServiceIdentifier(uuid: ChirpService.uuid))
    /// The text that makes a central pair when it is read.
    fileprivate static let pairingText = CharacteristicIdentifier(
        uuid: PairingService.text, service: ServiceIdentifier(uuid: PairingService.uuid))

    private static func heartRateService(_ uuid: String) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: uuid, service: ServiceIdentifier(uuid: HeartRateService.uuid))
    }
}
