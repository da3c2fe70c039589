package import CoreBluetooth
import Foundation

/// What the agent does: remembers for each program what it is connected to and subscribed to, collects the values, and
/// starts a program that has ended when something has happened for it. Used on the agent's queue only.
package final class AgentCore {
    let backend: any AgentBackend
    let host: any AgentHost
    /// Makes what a program publishes by, on the controller of a name or address.
    let makePublisher: (String?) -> any Publisher
    var apps: [RegisteredApp] = []

    private let queue: DispatchQueue
    private let backlogs = BacklogBudget(limit: AgentLimits.wholeBacklog)
    private var lastSave = -Double.infinity
    private var saving: AnyObject?

    /// Seconds between two writings of the record, unless there are long pauses.
    private static let savingInterval = 0.1

    /// - Parameters:
    ///   - record: what an earlier run of the agent has left.
    ///   - queue: the agent's.
    ///   - makePublisher: makes what a program publishes by, on the controller of a name or address.
    package init(
        record: RestorationRecord, backend: any AgentBackend, host: any AgentHost, queue: DispatchQueue,
        makePublisher: @escaping (String?) -> any Publisher = { BluetoothPublisher(adapter: $0) }
    ) {
        self.backend = backend
        self.host = host
        self.makePublisher = makePublisher
        self.queue = queue
        backend.observer = self
        takeUp(record)
    }

    /// Adds what an earlier run of the agent has left. Before ``start()``.
    package func takeUp(_ record: RestorationRecord) {
        let kept = record.withinLimits
        if kept != record { host.log("The record has more than the agent keeps: some of it is forgotten") }
        for app in kept.apps {
            guard let inbox = Inbox(queue: queue, budget: backlogs) else { continue }
            apps.append(RegisteredApp(app, presence: .running, inbox: inbox))
        }
    }

    /// Takes up what an earlier run of the agent has left. Programs that still run will come by themselves.
    package func start() {
        for app in apps { watchProcess(of: app) }
    }

    /// Whether there is nothing to do and nobody to serve.
    package var isIdle: Bool { apps.isEmpty }

    // MARK: Programs

    /// A program registers.
    ///
    /// - Returns: whether it is registered now.
    func register(_ registration: AppRegistration, _ peer: any AgentPeer) -> Bool {
        if let reason = refusal(of: registration, peer) ?? makeRoom(for: registration) {
            host.log("Refused \(registration.identifier.prefix(80)) of \(registration.program): \(reason)")
            peer.send(.refused(reason: reason), passing: nil)
            return false
        }
        let app: RegisteredApp
        if let known = apps.first(where: { $0.isRegistration(of: registration) }) {
            app = known
            app.peer?.close()
            app.record.registration = registration
            app.record.process = peer.process
            if registration.isResuming {
                // The program sees to its links itself.
                for peripheral in app.record.peripherals { letGo(peripheral, of: app, disconnecting: false) }
                (app.record.peripherals, app.record.scan) = ([], nil)
                forgetPublication(of: app)
            }
            settleUpdates(of: app)
        } else {
            guard let inbox = Inbox(queue: queue, budget: backlogs) else {
                peer.send(.refused(reason: "the agent has no file descriptors left"), passing: nil)
                return false
            }
            app = RegisteredApp(
                AppRecord(registration: registration, process: peer.process), presence: .running, inbox: inbox)
            apps.append(app)
        }
        app.presence = .running
        resumeScans()
        app.timer = nil
        app.record.started = nil
        app.policy.succeeded()
        app.peer = peer
        prepareToGreet(app)
        // A change remains news until the program confirms it, by `released` or `connected`.
        save()
        return true
    }

    // MARK: The welcome

    /// Seconds that a program may have to wait for its welcome, fewer than it is willing to.
    private static let greetingTimeout = 5.0

    /// Welcomes the program: at once, or when the state of its links is known. An agent that was started a moment ago
    /// has not taken them up yet.
    private func prepareToGreet(_ app: RegisteredApp) {
        app.greeting = host.after(Self.greetingTimeout) { [weak self, weak app] in
            if let app { self?.greet(app) }
        }
        for peripheral in app.awaited { backend.keep(PeripheralRequest(peripheral)) }
        preparePublisher(of: app)
        greetIfReady(app)
    }

    func greetIfReady(_ app: RegisteredApp) {
        guard app.greeting != nil, app.awaited.isEmpty, app.subscribing == 0, app.publishing?.isSettled ?? true else {
            return
        }
        greet(app)
    }

    private func greet(_ app: RegisteredApp) {
        app.greeting = nil
        var welcome = app.welcome
        welcome.publication = publication(of: app)
        app.peer?.send(.welcome(welcome), passing: app.inbox.readEnd)
        deliverRequests(to: app)
    }

    private func refusal(of registration: AppRegistration, _ peer: any AgentPeer) -> String? {
        guard registration.version == agentProtocolVersion else {
            return "the agent speaks version \(agentProtocolVersion) of the protocol, not \(registration.version)"
        }
        if let objection = AgentLimits.objection(to: registration) { return objection }
        guard let known = apps.first(where: { $0.isRegistration(of: registration) }) else { return nil }
        guard let other = known.record.process, other != peer.process, host.isAlive(other) else { return nil }
        return "process \(other.identifier) uses the restore identifier \(registration.identifier)"
    }

    /// Makes room for a new registration: forgets the program that ended first.
    ///
    /// - Returns: why there is none.
    private func makeRoom(for registration: AppRegistration) -> String? {
        guard !apps.contains(where: { $0.isRegistration(of: registration) }) else { return nil }
        let siblings = apps.filter { $0.record.registration.program == registration.program }
        if siblings.count >= AgentLimits.appsPerProgram, !forgetLongestGone(of: siblings) {
            return "too many restore identifiers of \(registration.program) (limit \(AgentLimits.appsPerProgram))"
        }
        if apps.count >= AgentLimits.apps, !forgetLongestGone(of: apps) {
            return "too many registered programs (limit \(AgentLimits.apps))"
        }
        return nil
    }

    /// - Returns: whether there was one.
    private func forgetLongestGone(of candidates: [RegisteredApp]) -> Bool {
        let gone = candidates.filter { $0.presence == .ended || $0.presence == .wanted }
        guard let oldest = gone.min(by: { $0.endedAt < $1.endedAt }) else { return false }
        host.log("\(oldest.name) is dropped: too many programs, and it ended first")
        forget(oldest)
        return true
    }

    /// The connection to a program has ended without a goodbye.
    func peerIsGone(_ peer: any AgentPeer) {
        guard let app = apps.first(where: { $0.peer === peer }) else { return }
        app.peer = nil
        app.greeting = nil
        settleUpdates(of: app)
        watchProcess(of: app)
    }

    /// Checks until the process has ended, which follows the end of its connection by a moment.
    private func watchProcess(of app: RegisteredApp, pause: Double = 0.01) {
        guard app.peer == nil, app.presence == .running else { return }
        guard let process = app.record.process, host.isAlive(process) else { return processIsGone(app) }
        app.timer = host.after(pause) { [weak self, weak app] in
            if let app { self?.watchProcess(of: app, pause: min(pause * 1.5, 1)) }
        }
    }

    private func processIsGone(_ app: RegisteredApp) {
        app.timer = nil
        let publishes = app.record.publication?.isEmpty == false
        guard publishes || app.record.scan != nil || !app.record.peripherals.isEmpty else { return forget(app) }
        app.presence = .ended
        resumeScans()
        app.endedAt = host.now
        app.record.process = nil
        save()
        for peripheral in app.record.peripherals where peripheral.state != .disconnected {
            backend.keep(PeripheralRequest(peripheral))
        }
        preparePublisher(of: app)
        if let started = app.record.started, host.isAlive(started) {
            // Started by an agent that has died since. The program will register here.
            app.presence = .starting
            return watchStart(of: app, until: host.now + Self.startTimeout)
        }
        let hasNews = app.record.peripherals.contains { $0.state == .disconnected || $0.serviceChange != nil }
        let hasRequests = app.publishing?.requests.isEmpty == false
        if hasNews || hasRequests || app.inbox.hasUnread { somethingHappened(to: app) }
    }

    /// The program has ended by choice.
    func goodbye(_ peer: any AgentPeer) {
        guard let app = apps.first(where: { $0.peer === peer }) else { return }
        forget(app)
    }

    private func forget(_ app: RegisteredApp) {
        apps.removeAll { $0 === app }
        resumeScans()
        app.timer = nil
        stopPublishing(app)
        for peripheral in app.record.peripherals { letGo(peripheral, of: app, disconnecting: true) }
        save()
    }

    /// Turns off and gives up what no other program needs.
    func letGo(_ peripheral: PeripheralRecord, of app: RegisteredApp, disconnecting: Bool) {
        app.up.remove(peripheral.identifier)
        let others = apps.filter { $0 !== app }.compactMap { $0.record[peripheral.identifier] }
        guard !others.isEmpty else { return backend.release(peripheral.identifier, disconnecting: disconnecting) }
        for subscription in peripheral.subscriptions
        where !others.contains(where: { $0.subscriptions.contains { $0.key.path == subscription.key.path } }) {
            backend.unsubscribe(peripheral.identifier, subscription.key) { _ in }
        }
    }

    // MARK: Starting programs

    /// Something has happened that concerns a program. If it has ended, it is started.
    func somethingHappened(to app: RegisteredApp) {
        guard app.presence == .ended, !app.policy.isExhausted else { return }
        app.presence = .wanted
        resumeScans()
        let pause = app.policy.pause(at: host.now)
        guard pause > 0 else { return launch(app) }
        host.log("Starting \(app.name) in \(Int(pause.rounded(.up))) s: it was started too often")
        app.timer = host.after(pause) { [weak self, weak app] in
            if let app { self?.launch(app) }
        }
    }

    private func launch(_ app: RegisteredApp) {
        guard app.presence == .wanted else { return }
        guard !wasStartedForAnother(app) else {
            app.timer = host.after(Self.startWatchInterval) { [weak self, weak app] in
                if let app { self?.launch(app) }
            }
            return
        }
        app.policy.started(at: host.now)
        app.lastStart = host.now
        app.presence = .starting
        do {
            app.record.started = try host.launch(app.record)
            saveNow()
            host.log("Started \(app.name)")
            watchStart(of: app, until: host.now + Self.startTimeout)
        } catch {
            host.log("Could not start \(app.name): \(error)")
            startHasFailed(app)
        }
    }

    /// Whether the program is about to register by itself: it was started for another of its managers a moment ago.
    private func wasStartedForAnother(_ app: RegisteredApp) -> Bool {
        apps.contains { other in
            guard other !== app, other.record.registration.isStartedLike(app.record.registration) else { return false }
            switch other.presence {
            case .starting: return true
            case .running: return (other.lastStart ?? -.infinity) + Self.siblingTime > host.now
            case .ended, .wanted: return false
            }
        }
    }

    /// Seconds that a program may take from its first registration to those of its other managers.
    private static let siblingTime = 5.0
    /// Seconds that a program may take from its start until it registers.
    private static let startTimeout = 60.0
    private static let startWatchInterval = 0.25

    private func watchStart(of app: RegisteredApp, until deadline: Double) {
        app.timer = host.after(Self.startWatchInterval) { [weak self, weak app] in
            guard let self, let app, app.presence == .starting else { return }
            // One whose process could not be found out may be on its way as well.
            let isAlive = app.record.started.map { self.host.isAlive($0) } ?? true
            if isAlive, host.now < deadline { return watchStart(of: app, until: deadline) }
            host.log("\(app.name) was started and has not registered")
            startHasFailed(app)
        }
    }

    private func startHasFailed(_ app: RegisteredApp) {
        app.policy.failed()
        if app.policy.isExhausted {
            let count = RestartPolicy.maximumFailures
            host.log("\(app.name) is not restarted until it registers by itself: \(count) starts failed")
        }
        app.record.started = nil
        app.presence = .ended
        resumeScans()
        somethingHappened(to: app)
    }

    // MARK: The record

    /// What is kept on disk.
    package var record: RestorationRecord { RestorationRecord(apps: apps.map(\.record)) }

    /// Writes the record to disk: at once, or in a moment if it was written a moment ago.
    func save() {
        guard saving == nil else { return }
        let pause = lastSave + Self.savingInterval - host.now
        guard pause > 0 else { return saveNow() }
        saving = host.after(pause) { [weak self] in
            self?.saving = nil
            self?.saveNow()
        }
    }

    /// To be called before the agent ends, too.
    package func saveNow() {
        saving = nil
        lastSave = host.now
        host.save(record)
    }
}

extension AppRegistration {
    /// Whether one start makes both: they are two managers of one program.
    fileprivate func isStartedLike(_ other: AppRegistration) -> Bool {
        program == other.program && command == other.command && folder == other.folder
    }
}

extension PeripheralRequest {
    init(_ record: PeripheralRecord) {
        self.init(peripheral: record.identifier, adapter: record.adapter, reconnects: record.reconnects)
    }
}
