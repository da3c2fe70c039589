package import BlueZ
public import CoreBluetooth
import GATTProfiles
package import MainLoop
package import Posix

/// A Bluetooth LE peripheral that exists in software only, made from a ``PeripheralProfile``.
///
/// Everything happens on one serial queue: call its methods there; its closures are called there.
// @unchecked: the state and the parts are only used on `queue`. Public methods check that; the manager and what the
// parts schedule call back there.
public final class VirtualPeripheral: @unchecked Swift.Sendable {
    /// How a peripheral is to be run.
    public struct Options: Hashable, Swift.Sendable {
        /// The controller's name or address. Nil: the first one that is powered.
        public var adapter: String?
        /// The name to be advertised. Nil: the profile's.
        public var localName: String?
        /// The seed that randomness follows from: the same seed replays the run.
        public var seed: UInt64
        /// Where to listen for commands. Nil: nowhere.
        public var controlSocket: ControlSocketAddress?

        public init(
            adapter: String? = nil, localName: String? = nil, seed: UInt64 = 0,
            controlSocket: ControlSocketAddress? = nil
        ) {
            self.adapter = adapter
            self.localName = localName
            self.seed = seed
            self.controlSocket = controlSocket
        }
    }

    /// What the peripheral offers. With a device behind it, it offers nothing until the device is known.
    public internal(set) var profile: PeripheralProfile
    /// How it was asked to run.
    public let options: Options
    /// The name that is advertised.
    public internal(set) var localName: String
    /// The serial queue that everything happens on.
    public let queue: DispatchQueue

    /// Called for each event. Events are not made if it is nil and no program follows them.
    public var onEvent: ((PeripheralEvent) -> Void)? {
        get { events.onEvent }
        set { events.onEvent = newValue }
    }
    /// Called once when the peripheral advertises for the first time, or has failed to. After that commands make
    /// sense.
    public var onReady: (() -> Void)?
    /// How many lines of output the program that shows the events has dropped; for ``status``.
    package var droppedLines: (() -> Int)?
    /// Shows what a central that pairs wants of the user; what it returns takes that away. Called on the queue, both.
    package var onPairingPrompt: ((PairingPrompt) -> () -> Void)? {
        get { pairing.onPrompt }
        set { pairing.onPrompt = newValue }
    }
    /// Called once when the peripheral has ended: without an error after ``stop()``, with one if it could not start.
    public var onEnd: ((DittojayError?) -> Void)?

    let clock: any Clock
    let session: BlueZSession
    private let folder: RuntimeFolder
    /// The device that it proxies; nil for one that is made from a profile.
    let device: ProxiedDevice?
    /// How often the device was lost and the centrals' links have not ended yet.
    var endingLinks = 0

    // The parts.
    let events = EventOutput()
    private let unanswered = UnansweredRequests()
    let services: SimulatedServices
    let links: CentralLinks
    let publication: ServicePublication
    private let scenario: ScenarioPlayer
    let requests: RequestHandler
    let commands: CommandHandler
    private let replay: Replay?
    private let pairing: PairingConversation
    private let channels: SimulatedChannels

    /// Where requests come from; nil if nowhere.
    private var directory: PeripheralDirectory?
    private var lease: AdapterLease?
    var adapter: AdapterLease.Description?
    private var manager: CBPeripheralManager?
    private var managerDelegate: ManagerDelegate?

    private let started: Double
    private var hasBeenOn = false
    private var hasBeenReady = false
    /// The scenario's test, while it is played.
    private var test: ScenarioTest?
    /// The results of a scenario with expectations; nil before its end, and for others. A peripheral with such a
    /// scenario stops by itself when the scenario has ended.
    public private(set) var scenarioReport: ScenarioReport?

    enum Life { case new, running, stopping, ended }
    private(set) var life = Life.new

    /// - Parameter queue: a serial queue.
    public convenience init(profile: PeripheralProfile, options: Options, queue: DispatchQueue) {
        self.init(profile: profile, options: options, clock: DispatchClock(queue: queue), session: .shared)
    }

    /// Makes a peripheral that proxies a device: it offers what the device offers, and passes on what is
    /// asked of it and what the device sends.
    package convenience init(
        device: ProxiedDevice, options: Options, clock: any Clock, session: BlueZSession = .shared,
        folder: RuntimeFolder = RuntimeFolder(program: "dittojay")
    ) {
        self.init(
            profile: PeripheralProfile(name: "proxy", localName: "Dittojay", services: []), options: options,
            clock: clock, session: session, folder: folder, device: device)
        services.source = device
        device.onEvent = { [weak self] event in self?.handle(event) }
    }

    /// Makes a peripheral on another bluetoothd than the system's.
    ///
    /// - Parameters:
    ///   - clock: with a serial queue, which everything happens on.
    ///   - folder: records what has to be restored.
    package init(
        profile: PeripheralProfile, options: Options, clock: any Clock, session: BlueZSession,
        folder: RuntimeFolder = RuntimeFolder(program: "dittojay"), device: ProxiedDevice? = nil
    ) {
        self.device = device
        self.session = session
        self.folder = folder
        self.profile = profile
        self.options = options
        self.clock = clock
        queue = clock.queue
        started = clock.now
        localName = options.localName ?? profile.localName
        services = SimulatedServices(profile, seed: options.seed, clock: clock)
        links = CentralLinks(queue: queue, events: events, unanswered: unanswered)
        publication = ServicePublication(profile, localName: localName, services: services, events: events)
        scenario = ScenarioPlayer(services: services, links: links, events: events)
        requests = RequestHandler(
            services: services, links: links, unanswered: unanswered, scenario: scenario, events: events)
        commands = CommandHandler(
            profileName: profile.name, services: services, publication: publication, links: links, events: events)
        pairing = PairingConversation(profile.pairing, events: events)
        channels = SimulatedChannels(profile.channels, queue: queue, events: events)
        services.channelPSM = { [channels] in channels.psm(of: $0) }
        replay = profile.recording.map { [services] in Replay($0, services: services) }
        replay?.onChange = { [events] isPlaying in
            events.report(.recording) { $0.message = isPlaying ? "began" : "ended" }
        }
        services.onSubscriptionChange = { [weak replay] in replay?.subscriptionsChanged() }
        links.onOccurrence = { [weak scenario] occurrence in scenario?.occurred(occurrence) }
        links.onPairingEnd = { [weak pairing] central in pairing?.ended(with: central) }
        publication.onWithdrawal = { [weak commands] in commands?.resumeBurst() }
        scenario.performCommand = { [weak self] request, reply in self?.perform(request, reply: reply) }
    }

    // MARK: One of several

    /// Makes it one of a group. To be called before it starts.
    ///
    /// - Parameters:
    ///   - directory: where requests for it come from; in place of its own control socket.
    ///   - isOneOfSeveral: whether its events are to say that they are its.
    func join(_ directory: PeripheralDirectory, asOneOfSeveral isOneOfSeveral: Bool) {
        self.directory = directory
        if isOneOfSeveral { events.peripheral = identifier }
    }

    /// What requests name it by: the controller as it was asked for, or else as it was chosen.
    var identifier: String { options.adapter ?? adapter?.name ?? profile.name }

    /// - Parameter name: the controller's name or address.
    func isOn(controller name: String) -> Bool {
        adapter.map { $0.name == name || $0.address.caseInsensitiveCompare(name) == .orderedSame } ?? false
    }

    var listing: ControlReply.Peripheral {
        .init(id: identifier, adapter: adapter?.name, name: localName, profile: profile.name)
    }

    func addSubscribers(_ subscribers: any EventSubscribers) { events.add(subscribers) }

    // MARK: Life

    /// Starts: chooses the controller, publishes the services and advertises them. What comes of it is reported by
    /// events, and by ``onEnd`` if it fails.
    public func start() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard life == .new else { return }
        life = .running
        if let address = options.controlSocket {
            let directory = PeripheralDirectory()
            do throws(DittojayError) {
                try directory.listen(at: address, clock: clock)
            } catch {
                return end(error)
            }
            self.directory = directory
        }
        directory?.add(self)
        events.report(.started) { event in
            event.profile = profile.name
            event.seed = options.seed
            event.socket = directory?.socket
        }
        if let device { find(device) } else { run(on: options.adapter) }
    }

    /// Sets up the controller, and then publishes and advertises the services.
    func run(on selection: String?) {
        let lease = AdapterLease(
            selection: selection, alias: localName, session: session, folder: folder, queue: queue,
            onEvent: { [weak self] event in self?.links.handle(event) })
        self.lease = lease
        links.use(lease)
        Task {
            do {
                let adapter = try await lease.start()
                queue.async { [self] in run(on: adapter) }
            } catch {
                let error = error as? DittojayError ?? .bluetoothUnavailable("cannot use Bluetooth: \(error)")
                // If it was stopped meanwhile, `stop` ends it.
                queue.async { [self] in if life == .running { fail(error) } }
            }
        }
    }

    /// Ends because of an error.
    func fail(_ error: DittojayError) {
        close { [self] in end(error) }
    }

    /// Stops: disconnects the centrals, withdraws everything, and puts the controller back as it was. ``onEnd`` is
    /// called when that is done.
    public func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard life == .running else { return }
        life = .stopping
        endTest()
        pairing.stop()
        leaveDirectory()
        scenario.stop()
        commands.cancelBurst("dittojay was stopped")
        // Both sides at once, as bluetoothd 5.66 takes 2 s and more to end a link.
        var sides = 2
        let sideEnded = { [self] in
            sides -= 1
            if sides == 0 { end(testFailure) }
        }
        close(sideEnded)
        // First: a central that connected now would see its services go.
        publication.stopAdvertising { [self] in endLinks(sideEnded) }
    }

    private func endLinks(_ done: @escaping () -> Void) {
        links.end { [self] _ in
            // An advertisement that is just being registered would be left to bluetoothd by a change of the name, or by
            // the end of this program.
            publication.stop { [lease, queue] in
                // Called on the queue only.
                nonisolated(unsafe) let done = done
                Task {
                    await lease?.stop()
                    queue.async { done() }
                }
            }
            channels.stop()
            unanswered.releaseAll()
            detach()
        }
    }

    /// Ends the link to the device, if there is one.
    func close(_ done: @escaping () -> Void) {
        guard let device else { return done() }
        device.close(done)
    }

    private func run(on adapter: AdapterLease.Description) {
        self.adapter = adapter
        // Stopped before it had begun: `stop` has nothing to withdraw, but this would publish.
        guard life == .running else { return }
        let delegate = ManagerDelegate(
            services: services, publication: publication, requests: requests, commands: commands,
            replay: replay, channels: channels, stateChanged: { [weak self] state in self?.stateChanged(state) },
            becameReady: { [weak self] in self?.becameReady() })
        let manager = CBPeripheralManager(
            delegate: delegate, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: adapter.address],
            session: session, pairing: pairing.choice)
        managerDelegate = delegate
        self.manager = manager
        if let lease { MainLoop.shared.async { lease.follow(manager) } }
        publication.use(manager, on: adapter)
        requests.use(manager)
    }

    private func detach() {
        publication.detach()
        requests.use(nil)
        manager = nil
    }

    func end(_ error: DittojayError?) {
        guard life != .ended else { return }
        life = .ended
        endTest()
        pairing.stop()
        if events.peripheral != nil { events.report(.ended) { $0.message = error?.description } }
        leaveDirectory()
        scenario.stop()
        detach()
        onEnd?(error)
        onEnd = nil
    }

    private func leaveDirectory() {
        directory?.remove(self)
        directory = nil
    }

    /// The peripheral advertises, or has failed to.
    private func becameReady() {
        guard life == .running else { return }
        if !hasBeenReady {
            hasBeenReady = true
            playScenario()
        }
        let ready = onReady
        onReady = nil
        ready?()
    }

    private func playScenario() {
        guard !profile.scenario.isEmpty else { return }
        guard let test = ScenarioTest(profile.scenario, clock: clock) else {
            return scenario.play(profile.scenario) { [events] in events.report(.scenario) { $0.message = "ended" } }
        }
        self.test = test
        events.onTestedEvent = { [weak test] event in test?.note(event.textWithoutTime) }
        scenario.play(test) { [weak self] in self?.stop() }
    }

    private var testFailure: DittojayError? {
        guard let report = scenarioReport, !report.hasPassed else { return nil }
        return .scenarioFailed("the scenario failed: \(report.summary)")
    }

    /// The scenario's test has ended, or is ended.
    private func endTest() {
        guard let test else { return }
        self.test = nil
        events.onTestedEvent = nil
        test.interrupt()
        let report = test.report(name: events.peripheral.map { "\(profile.name) on \($0)" } ?? profile.name)
        scenarioReport = report
        events.report(.scenario) { $0.message = "\(report.hasPassed ? "passed" : "failed"): \(report.summary)" }
    }

    private func stateChanged(_ state: CBManagerState) {
        guard life == .running else { return }
        switch state {
        case .poweredOn:
            if hasBeenOn { events.report(.state) { $0.message = "Bluetooth is on" } }
            hasBeenOn = true
            // First: a characteristic may have a channel's number.
            if let manager { channels.start(manager) }
            publication.start()
        case .unsupported where !hasBeenOn:
            fail(.adapterUnusable("the Bluetooth adapter \(adapter?.name ?? "") does not support the peripheral role"))
        case .unauthorized where !hasBeenOn:
            fail(.bluetoothUnavailable("this user is not permitted to use Bluetooth (refused by the system bus)"))
        case .poweredOff, .resetting, .unknown, .unsupported, .unauthorized:
            commands.cancelBurst("Bluetooth was switched off")
            publication.interrupt()
            channels.interrupt()
            unanswered.releaseAll()
            events.report(.state) { $0.message = state.explanation }
        }
    }

    // MARK: Commands

    /// Carries out a command and answers it by calling `reply` once, on the queue.
    public func perform(_ request: ControlRequest, reply: @escaping (ControlReply) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch request {
        case .version: reply(.version)
        case .peripherals:
            var answer = ControlReply()
            answer.peripherals = [listing]
            reply(answer)
        case .events: reply(ControlReply(error: "events go to the programs at the control socket"))
        case .status:
            var answer = ControlReply()
            answer.status = status
            reply(answer)
        case .characteristics:
            var answer = ControlReply()
            answer.characteristics = services.characteristics.map { $0.status() }
            reply(answer)
        case .signal: links.measureSignals(reply)
        case .chirp(let value): reply(commands.chirp(Data(value)))
        case .set(let name, let value): reply(commands.set(name, to: Data(value)))
        case .send(let name, let value): reply(commands.send(Data(value), on: name))
        case .burst(let count, let size, let rate):
            commands.startBurst(Burst.Plan(count: count, size: size, rate: rate), reply)
        case .addService(let name?): publication.add(name, reply)
        case .addService(nil): publication.addAll(reply)
        case .removeService(let name?): publication.remove(name, reply)
        case .removeService(nil): publication.removeAll(reply)
        case .disconnect(let central): commands.disconnect(central, reply)
        case .addFault(let characteristic, let fault): reply(commands.add(fault, to: characteristic))
        case .clearFaults(let characteristic): reply(commands.clearFaults(characteristic))
        case .advertise(let isOn): publication.setAdvertising(isOn, reply)
        case .silence(let seconds):
            requests.beSilent(for: seconds)
            reply(ControlReply())
        case .power(true): links.setPower(true, reply)
        case .power(false):
            publication.pauseAdvertising()
            links.setPower(false) { [publication] answer in
                if !answer.ok { publication.resumeAdvertising() }
                reply(answer)
            }
        case .passkey(let passkey): reply(pairing.enter(passkey))
        case .confirm(let isSame): reply(pairing.confirm(isSame))
        case .quit:
            reply(ControlReply())
            stop()
        }
    }

    /// The status of the peripheral.
    public var status: PeripheralStatus {
        dispatchPrecondition(condition: .onQueue(queue))
        let characteristics = services.characteristics
        let heart = characteristics.lazy.compactMap(\.heart).first?.simulation
        return PeripheralStatus(
            pid: Int(getpid()),
            uptime: clock.now - started, profile: profile.name, name: localName,
            adapter: adapter?.name ?? "", address: adapter?.address ?? "",
            state: publication.state.name, isAdvertising: publication.isAdvertising,
            seed: options.seed,
            device: device.map { device in
                .init(
                    name: device.name, address: device.address, adapter: device.adapter?.name,
                    isConnected: device.isConnected)
            },
            services: services.all.map {
                .init(name: $0.profile.name, uuid: $0.profile.uuid, isPublished: $0.isPublished)
            },
            faults: characteristics.flatMap { characteristic in
                characteristic.faults.map { .init(characteristic: "\(characteristic.path)", fault: "\($0)") }
            },
            centrals: links.connected.map { central in
                let subscriptions = characteristics.filter { characteristic in
                    characteristic.subscribers.contains { $0.bluetoothAddress == central.address }
                }
                return .init(
                    address: central.address, mtu: central.mtu, subscriptions: subscriptions.map(\.profile.name))
            },
            heartRate: heart.map {
                .init(rate: $0.currentRate, hasContact: $0.hasContact, energyExpended: Int($0.energyExpended))
            },
            notifications: characteristics.reduce(0) { $0 + $1.notificationCount }, reads: requests.readCount,
            writes: requests.writeCount,
            droppedLines: droppedLines?())
    }
}
