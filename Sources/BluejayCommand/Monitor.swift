import AssignedNumbers
import Bluejay
import GATTProfiles
import LineOutput
import MainLoop
import PlainText

/// Keeps a connection to a sensor and shows what it measures: heart rates, or what else it has.
///
/// While it is connected it listens, or tries to, or connects again; what keeps it from listening is shown.
@MainActor
final class Monitor: @preconcurrency ConnectionObserver, @preconcurrency ServiceObserver {
    private let context: CommandContext
    private let device: DeviceSelector?
    /// What is listened to; with none, whatever the device measures.
    private let profile: MonitoredProfile?
    private let limits: MonitorLimits

    private var received = 0
    private let end = FirstOutcome<End>()

    private enum End: Swift.Sendable {
        case done
        case timeIsUp
        case failed(Failure)
    }
    private var hasConnected = false
    private var isSearching = false
    /// Whether the sensor is connected and this was reported.
    private var isShownConnected = false
    private var isOff = false
    /// What the connection that is up is listened to for.
    private var listens: MonitorListens?
    /// How often in a row it had to connect again because it could not listen.
    private var failures = 0
    /// What was reported about pairing since the last measurement.
    private var knownPairingProblems: Set<String> = []
    /// The name of the sensor that was connected last.
    private var connectedName: String?

    /// - Parameters:
    ///   - device: the first that is found with the profile if nil.
    ///   - profile: if nil, heart rates, or with a device whatever it measures.
    init(_ context: CommandContext, device: DeviceSelector?, profile: MonitoredProfile?, limits: MonitorLimits) {
        self.context = context
        self.device = device
        self.profile = profile ?? (device == nil ? .heartRate : nil)
        self.limits = limits
    }

    private var output: Output { context.output }
    private var bluejay: Bluejay { context.bluejay }

    /// Monitors until the count or the duration is reached.
    func run() async throws {
        context.reconnects = true
        context.onDisconnection { [weak self] in self?.connectionEnded($0) }
        context.onPairingProblem { [weak self] in self?.cannotConnect($0) }
        bluejay.register(serviceObserver: self)
        // Reports at once that Bluetooth is on, which starts the search.
        bluejay.register(connectionObserver: self)
        let outcome = await end.value(within: limits.duration.map { .seconds($0) }, otherwise: .timeIsUp)
        context.reconnects = false
        context.onDisconnection(nil)
        context.onPairingProblem(nil)
        bluejay.unregister(connectionObserver: self)
        switch outcome {
        case .done: break
        case .timeIsUp:
            guard let count = limits.count, let duration = limits.duration else { break }
            throw Failure(
                .notInTime,
                "received only \(received) of \(count) \(profile == .heartRate ? "heart rates" : "measurements") in \(inSeconds(duration))"
            )
        case .failed(let failure): throw failure
        }
    }

    private func fail(_ failure: Failure) {
        end.report(.failed(failure))
    }

    // MARK: Finding

    private func search() {
        guard !isSearching, !end.isKnown, !bluejay.isConnected, !bluejay.isConnecting else { return }
        isSearching = true
        if case .identifiers(let identifiers, let text)? = device, identifiers.count == 1 {
            return connect(PeripheralIdentifier(uuid: identifiers[0], name: text))
        }
        output.event("searching", "looking for \(device?.text ?? "\(article) \(sensor)")")
        Task {
            if let known = await known() { return connect(known) }
            scan()
        }
    }

    /// What need not be looked for. What is connected hardly advertises.
    private func known() async -> PeripheralIdentifier? {
        if let device { return await context.known(device) }
        guard let profile else { return nil }
        let connected = context.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: profile.service)])
            .first
        return connected.map { PeripheralIdentifier(uuid: $0.identifier, name: $0.name ?? sensor) }
    }

    private func scan() {
        TargetSearch(bluejay).start(
            duration: hasConnected ? 0 : limits.search,
            serviceIdentifiers: device == nil ? profile.map { [ServiceIdentifier(uuid: $0.service)] } : nil,
            isWanted: { [device] discovery in device?.matches(discovery) ?? true },
            ended: { [weak self] found, error in self?.searchEnded(found?.peripheralIdentifier, error) })
    }

    private func searchEnded(_ found: PeripheralIdentifier?, _ error: (any Error)?) {
        if let found { return connect(found) }
        isSearching = false
        // Bluetooth is off: the search starts again when it is on.
        if error != nil { return }
        let sought = device.map { "device \($0.text)" } ?? sensor
        fail(Failure(.notInTime, "no \(sought) was found within \(inSeconds(limits.search))"))
    }

    /// What is looked for, without its name: `heart-rate sensor`.
    private var sensor: String { "\((profile ?? .heartRate).name) sensor" }

    private var article: String { "aeiou".contains(sensor.first ?? " ") ? "an" : "a" }

    private func connect(_ identifier: PeripheralIdentifier) {
        bluejay.connect(identifier, timeout: hasConnected || limits.search == 0 ? .none : .seconds(limits.search)) {
            [weak self] result in
            guard let self else { return }
            isSearching = false
            if case .failure(let error) = result, !hasConnected {
                let cause = context.pairingProblem ?? error
                fail(Failure(cause, attempt: "cannot connect to \(identifier.name)", device: identifier.name))
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
            linkIsDown()
            output.event("bluetooth-off", "Bluetooth is off, or bluetoothd stopped; waiting")
        }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        hasConnected = true
        isShownConnected = true
        connectedName = peripheral.name
        let address = CBPeer.bluetoothAddress(forIdentifier: peripheral.uuid)
        output.event("connected", "connected to \(peripheral.name)\(address.map { " " + $0 } ?? "")") { object in
            object.add("name", peripheral.name)
            object.add("address", address)
        }
        let listens = MonitorListens(context, to: peripheral, profile: profile, answerTimeout: limits.answer) {
            [weak self] report in
            switch report {
            case .measurement(let isWellFormed): self?.measured(isWellFormed: isWellFormed)
            case .measuresNothing(let didBefore): self?.measuresNothing(didBefore: didBefore)
            case .failed(let failure, let what, let next):
                self?.cannotListen(failure, to: what, of: peripheral, next)
            }
        }
        self.listens = listens
        listens.begin()
        listens.requestMeasurements()
    }

    // MARK: Listening

    private func measured(isWellFormed: Bool) {
        failures = 0
        knownPairingProblems = []
        guard isWellFormed else { return }
        received += 1
        if received == limits.count { end.report(.done) }
    }

    private func measuresNothing(didBefore: Bool) {
        let other = profile == .heartRate ? nil : profile
        let what = other?.name ?? "heart rate"
        output.event(other == nil ? "no-heart-rate" : "no-measurement", "the device measures no \(what)")
        guard !didBefore else { return }
        if received == 0 {
            fail(Failure(.noSuchCharacteristic, "\(device?.text ?? "the device") measures no \(what)"))
        } else {
            connectAgainUnlessFound()
        }
    }

    /// Shows what keeps it from listening, and tries again or makes another connection.
    private func cannotListen(
        _ failure: Failure, to what: String, of peripheral: PeripheralIdentifier, _ next: RetryingSubscription.Next
    ) {
        let consequence =
            switch next {
            case .tryAgain(let pause): "trying again in \(inSeconds(pause))"
            case .connectAgain: "connecting again"
            case .keepWaiting: "still waiting"
            }
        if failure.isAboutPairing, !knownPairingProblems.insert(failure.reason).inserted { return react(next) }
        output.event(
            "not-listening", "cannot listen to the \(what) of \(peripheral.name): \(failure.reason); \(consequence)"
        ) { object in
            object.add("error", failure.reason)
            object.add("attError", failure.attError)
        }
        react(next)
    }

    private func react(_ next: RetryingSubscription.Next) {
        if case .connectAgain = next { connectAgain() }
    }

    private func connectAgain() {
        linkIsDown(isShown: false)
        bluejay.disconnect(immediate: true) { [weak self] _ in self?.searchAfterPause() }
    }

    private func searchAfterPause() {
        let pause = Pauses.pause(afterFailures: failures)
        failures += 1
        DispatchQueue.main.asyncAfter(deadline: .now() + pause) {
            MainActor.assumeIsolated { self.search() }
        }
    }

    /// A sensor that had measurements in an earlier connection was perhaps just starting: bluetoothd (5.66) may miss
    /// services that are added while it discovers others, and shows them in the next connection.
    private func connectAgainUnlessFound() {
        let pause = Pauses.pause(afterFailures: failures + 1)
        DispatchQueue.main.asyncAfter(deadline: .now() + pause) { [weak tried = listens] in
            MainActor.assumeIsolated {
                guard let tried, tried === self.listens, tried.measureNothing else { return }
                self.connectAgain()
            }
        }
    }

    /// Pairing is why there is no connection. A person has to do something about it; the pauses give them time.
    private func cannotConnect(_ problem: CBError) {
        // The first attempt ends the command instead.
        guard hasConnected else { return }
        searchAfterPause()
        let device = connectedName ?? device?.text ?? "the sensor"
        let failure = Failure(problem, attempt: "no connection to \(device)", device: device)
        guard knownPairingProblems.insert(failure.reason).inserted else { return }
        output.event("not-connected", "\(failure.message); trying again") { $0.add("error", failure.reason) }
    }

    private func linkIsDown(isShown: Bool = true) {
        if isShown { isShownConnected = false }
        listens?.end()
        listens = nil
    }

    private func connectionEnded(_ peripheral: PeripheralIdentifier) {
        // A failed attempt to connect again is reported, too. It has the limit of the first attempt, and a sensor can
        // be away for longer. Where pairing is the reason, another search follows already.
        guard isShownConnected else {
            if hasConnected, context.pairingProblem == nil { searchAfterPause() }
            return
        }
        linkIsDown()
        // None if this program has ended the connection.
        let reason = context.endOfConnection.map { inSentence($0.localizedDescription) }
        output.event("disconnected", "disconnected from \(peripheral.name)\(reason.map { ": " + $0 } ?? "")") {
            object in
            object.add("name", peripheral.name)
            object.add("address", CBPeer.bluetoothAddress(forIdentifier: peripheral.uuid))
            object.add("error", reason)
        }
    }

    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
        let gone = invalidatedServices.map { service in
            service.uuid.name.map(TypedName.text) ?? service.uuid.uuidString
        }
        output.event(
            "services-changed",
            gone.isEmpty ? "services were added" : "services were removed: " + gone.joined(separator: ", ")
        ) { object in
            object.add("invalidated", invalidatedServices.map(\.uuid.uuidString))
        }
        // A removed characteristic may be back, or there may be another one.
        listens?.begin()
    }
}

/// How long the monitor waits, in seconds, and when it ends.
struct MonitorLimits {
    /// How long to look for the sensor at first; 0: forever.
    var search: Double
    /// How long the sensor may take until it is listened to.
    var answer: Double
    /// End after this many measurements.
    var count: Int?
    /// End after this time.
    var duration: Double?
}
