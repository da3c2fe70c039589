import CoreBluetooth
import GATTProfiles
import LineOutput
import MainLoop
import PlainText

/// Keeps a connection to a sensor and shows what it measures: heart rates, or what else it has.
///
/// While it is connected it listens, or tries to, or connects again; what keeps it from listening is shown.
@MainActor
final class Monitor {
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
        case failed(CommandError)
    }
    /// The name of the sensor that was connected last; nil before the first connection.
    private var connectedName: String?
    /// What is done over the connection that is up.
    private var session: MonitorSession?
    /// How often in a row it had to connect again because it could not listen.
    private var failures = 0
    /// What was reported about pairing since the last measurement.
    private var knownPairingProblems: Set<String> = []

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
    private var central: AsyncCentral { context.central }

    /// Monitors until the count or the duration is reached.
    func run() async throws {
        let monitoring = Task { await monitor() }
        defer { monitoring.cancel() }
        switch await end.value(within: limits.duration.map { .seconds($0) }, otherwise: .timeIsUp) {
        case .done: break
        case .timeIsUp:
            guard let count = limits.count, let duration = limits.duration else { break }
            throw CommandError(
                .notInTime,
                "received only \(received) of \(count) \(profile == .heartRate ? "heart rates" : "measurements") in \(inSeconds(duration))"
            )
        case .failed(let failure): throw failure
        }
    }

    private func fail(_ failure: CommandError) {
        end.report(.failed(failure))
    }

    private var isOver: Bool { end.isKnown || context.isEnding }

    /// Finds the sensor, connects and listens, and again after the end of the connection.
    private func monitor() async {
        // One whose connection was lost is not looked for.
        var lost: UUID?
        while !isOver {
            do throws(CentralError) {
                let link =
                    if let lost { try await central.connect(lost, within: limits.firstSearch) } else {
                        try await connect()
                    }
                lost = link.peripheral.identifier
                try await listen(over: link)
            } catch {
                lost = nil
                if !isOver { await recover(from: error) }
            }
        }
    }

    private func recover(from error: CentralError) async {
        switch error {
        case .bluetoothOff:
            output.event("bluetooth-off", "Bluetooth is off, or bluetoothd stopped; waiting")
            try? await central.waitUntilOn()
        case .cancelled: break
        default:
            if case .unencrypted = error { showPairingProblem(error) }
            let pause = Pauses.pause(afterFailures: failures)
            failures += 1
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Pairing is why there is no connection. A person has to do something about it; the pauses give them time.
    private func showPairingProblem(_ error: CentralError) {
        let device = connectedName ?? device?.text ?? "the sensor"
        let failure = CommandError(error, attempt: "no connection to \(device)", device: device)
        guard knownPairingProblems.insert(failure.reason).inserted else { return }
        output.event("not-connected", "\(failure.message); trying again") { $0.add("error", failure.reason) }
    }

    // MARK: Finding

    /// Finds the sensor and connects to it. The first time this has a limit.
    private func connect() async throws(CentralError) -> AsyncPeripheral {
        let isFirst = connectedName == nil
        guard let (identifier, name) = try await find(within: isFirst ? limits.firstSearch : nil) else {
            throw .cancelled
        }
        do throws(CentralError) {
            return try await central.connect(identifier, within: isFirst ? limits.firstSearch : nil)
        } catch {
            if isFirst {
                fail(CommandError(error, connectingTo: name, tooLate: "the device was not connected in time"))
            }
            throw error
        }
    }

    /// - Returns: nil if it was not found in time, which is the command's failure then.
    private func find(within limit: Double?) async throws(CentralError) -> (UUID, name: String)? {
        if let device, let only = device.onlyIdentifier { return (only, device.text) }
        output.event("searching", "looking for \(device?.text ?? "\(article) \(sensor)")")
        if let known = await known() { return known }
        let service = device == nil ? profile.map { CBUUID(string: $0.service) } : nil
        let found = try await central.search(for: service.map { [$0] }, within: limit) { [device] in
            device?.matches($0) ?? true
        }
        if let peripheral = found?.peripheral { return (peripheral.identifier, peripheral.displayName) }
        let sought = device.map { "device \($0.text)" } ?? sensor
        fail(CommandError(.notInTime, "no \(sought) was found within \(inSeconds(limits.search))"))
        return nil
    }

    /// What need not be looked for. What is connected hardly advertises.
    private func known() async -> (UUID, name: String)? {
        if let device { return await context.known(device).map { ($0, device.text) } }
        guard let profile else { return nil }
        let services = [CBUUID(string: profile.service)]
        let connected = central.manager.retrieveConnectedPeripherals(withServices: services).first
        return connected.map { ($0.identifier, $0.name ?? sensor) }
    }

    /// What is looked for, without its name: `heart-rate sensor`.
    private var sensor: String { "\((profile ?? .heartRate).name) sensor" }

    private var article: String { "aeiou".contains(sensor.first ?? " ") ? "an" : "a" }

    // MARK: Listening

    /// Listens until the connection has ended.
    ///
    /// - Throws: why, unless the sensor is to be connected again at once.
    private func listen(over link: AsyncPeripheral) async throws(CentralError) {
        let name = link.peripheral.displayName
        connectedName = name
        let address = link.peripheral.bluetoothAddress
        output.event("connected", "connected to \(name)\(address.map { " " + $0 } ?? "")") { object in
            object.add("name", name)
            object.add("address", address)
        }
        let session = MonitorSession(over: link, output, profile: profile, answerTimeout: limits.answer) {
            [weak self] report in
            switch report {
            case .measurement(let isWellFormed): self?.measured(isWellFormed: isWellFormed)
            case .measuresNothing(let didBefore): self?.measuresNothing(didBefore: didBefore)
            case .failed(let failure, let what, let next): self?.cannotListen(failure, to: what, of: name, next)
            }
        }
        self.session = session
        await session.run()
        self.session = nil
        guard let reason = link.end else { throw .cancelled }
        if case .bluetoothOff = reason { throw reason }
        // None if this program has ended the connection.
        let text = reason.endOfLink.map { inSentence($0.localizedDescription) }
        output.event("disconnected", "disconnected from \(name)\(text.map { ": " + $0 } ?? "")") { object in
            object.add("name", name)
            object.add("address", address)
            object.add("error", text)
        }
        if session.isToBeMadeAgain { throw reason }
        if case .unencrypted = reason { throw reason }
    }

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
            fail(CommandError(.noSuchCharacteristic, "\(device?.text ?? "the device") measures no \(what)"))
        } else {
            connectAgainUnlessFound()
        }
    }

    /// A sensor that had measurements in an earlier connection was perhaps just starting: bluetoothd (5.66) may miss
    /// services that are added while it discovers others, and shows them in the next connection.
    private func connectAgainUnlessFound() {
        let pause = Pauses.pause(afterFailures: failures + 1)
        Task { [weak session] in
            try? await Task.sleep(for: .seconds(pause))
            if let session, session.measuresNothing { session.connectAgain() }
        }
    }

    /// Shows what keeps it from listening, and makes another connection where only that can help.
    private func cannotListen(
        _ failure: CommandError, to what: String, of name: String, _ next: RetryingSubscription.Next
    ) {
        let consequence =
            switch next {
            case .tryAgain(let pause): "trying again in \(inSeconds(pause))"
            case .connectAgain: "connecting again"
            case .keepWaiting: "still waiting"
            }
        if !failure.isAboutPairing || knownPairingProblems.insert(failure.reason).inserted {
            output.event(
                "not-listening", "cannot listen to the \(what) of \(name): \(failure.reason); \(consequence)"
            ) { object in
                object.add("error", failure.reason)
                object.add("attError", failure.attError)
            }
        }
        if case .connectAgain = next { session?.connectAgain() }
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

    /// The same; nil for no limit.
    var firstSearch: Double? { search > 0 ? search : nil }
}
