import BlueZ
import DBus
import Logging
import MainLoop

/// Failures to connect, one after another, whose cause does not pass by itself.
struct FailedConnections {
    private(set) var count = 0
    private(set) var last = ContinuousClock.now

    mutating func add() {
        count += 1
        last = .now
    }
}

/// A peripheral that is being connected to, or is connected: from `connect` to the disconnection.
@LoopActor
final class PeripheralLink {
    enum Phase {
        case connecting
        case connected
        /// The app has asked to end a link that was up.
        case disconnecting
        /// The link has ended. The app learns it when nothing else has to come first (PeripheralLink+Ending.swift).
        case ending
        case ended
    }

    nonisolated let peripheral: CBPeripheral
    let peer: PeerIdentifier
    private(set) var options: ConnectOptions
    /// What the app has asked for since it has ended this link, or since this link has ended.
    private var nextOptions: ConnectOptions?
    private(set) var phase = Phase.connecting {
        didSet {
            if phase != oldValue { logger.debug("the link is \(phase)", metadata: ["device": "\(peer.addressText)"]) }
        }
    }
    private(set) var device: Device?

    /// Requests to the GATT server (PeripheralLink+Requests.swift).
    let requests = RequestQueue()
    /// Counts the links to the peripheral: what was asked over an earlier one does not matter for a later one.
    private(set) var linkNumber = 0
    /// The objects that the app has got, by the path of bluetoothd's object.
    var attributes: [ObjectPath: CBAttribute] = [:]
    var subscriptions: [ObjectPath: any Subscription] = [:]
    var writeSockets: [ObjectPath: WriteSocket] = [:]
    /// L2CAP channels that are being opened, by a number of their own (PeripheralLink+L2CAP.swift).
    var channelOpenings: [Int: AnyObject] = [:]
    var lastOpening = 0
    /// Whether bluetoothd has reported all services of this connection.
    var isResolved = false
    /// Why the services of this connection cannot be known; nil while they can.
    var resolutionFailure: CBError?
    var resolutionTimer: LoopSource?
    var resolutionWaiters: [@LoopActor () -> Void] = []
    /// Knows whether more attributes are to be expected.
    let discovery = DiscoverySettling()
    /// The services whose characteristics were reported to the app.
    var explored: Set<ObjectPath> = []
    /// Services that bluetoothd still shows and the device no longer has.
    var missedRemovals: Set<ObjectPath> = []
    /// Retries and pauses of the request that is under way.
    var drainTimer: LoopSource?
    var busyTimer: LoopSource?
    /// Changes of the services that are not yet reported to the app, and what waits for that.
    var serviceChanges = ServiceChanges<CBService>()
    var changeWaiters: [@LoopActor () -> Void] = []
    /// The request that is made again after the next change.
    var requestAfterChange: (@LoopActor () -> Void)?
    let pairingWatch: PairingWatch
    /// Why the link is being ended, if because of a fault.
    var endReason: CBError?

    let session: BlueZSession
    /// Nil when the app has released the manager. The attempt to connect may notice its end only then.
    private weak var core: CentralCore?
    private var attempt: Task<Void, Never>?
    private var search: DeviceSearch?
    private var timer: LoopSource?
    /// Whether bluetoothd has been asked to connect and has yet to answer.
    private var isCalling = false
    /// Whether a link is what bluetoothd was asked for, and not one that another program has made.
    private var isLinkOwn = false
    var encryptionFailures = EncryptionFailures()
    var onExistingLinkChange: (@LoopActor () -> Void)?
    var onCancel: (@LoopActor () -> Void)?

    /// How long a link may take to end after bluetoothd was asked to end it.
    static let disconnectionTimeout: Duration = .seconds(5)

    init(_ peripheral: CBPeripheral, peer: PeerIdentifier, options: ConnectOptions, core: CentralCore) {
        self.peripheral = peripheral
        self.peer = peer
        self.options = options
        self.core = core
        session = core.session
        pairingWatch = PairingWatch(session.timing)
    }

    /// The agent that turns notifications on for a program whose state is to be restored.
    var restoration: RestorationClient? { core?.restoration }
    var adapterAddress: String? { core?.adapter?.address }

    /// Runs `event` on the manager's queue, after all that was posted before.
    func post(_ event: @escaping @Sendable (CBPeripheral) -> Void) {
        core?.post(to: peripheral, event)
    }

    // MARK: Connecting

    func start() {
        phase = .connecting
        isLinkOwn = false
        // Pairing may become necessary with the first request.
        session.registerAgent()
        if let restoration, let agentRequest { restoration.connecting(agentRequest) }
        attempt = Task { [weak self] in await self?.attemptUntilConnected() }
    }

    /// Takes up a link from an earlier run of the program: it is up, and its services are known.
    func adopt(_ device: Device) {
        session.registerAgent()
        self.device = device
        device.linkUse.begin(self, isOwn: true)
        phase = .connected
        isResolved = true
        if let restoration, let agentRequest { restoration.connected(agentRequest) }
    }

    /// `connect` on a link that exists already.
    func connectAgain(_ options: ConnectOptions) {
        switch phase {
        case .connecting: self.options = options
        case .connected:
            self.options = options
            core?.post { [peripheral] manager in manager.delegate?.centralManager(manager, didConnect: peripheral) }
        case .disconnecting, .ending, .ended: nextOptions = options
        }
    }

    /// A pending connect never times out: it is tried again until it is cancelled.
    private func attemptUntilConnected() async {
        if let delay = options.startDelay { try? await Task.sleep(for: delay) }
        // An app may answer each failure by connecting again at once, as Bluejay does.
        if let earlier = core?.failedConnections[peripheral.identifier] {
            try? await Task.sleep(until: earlier.last + Self.pause(after: earlier.count))
        }
        var failures = 0
        var attempts = RetryLog(logger, "connect to \(peer.addressText)")
        defer { attempts.ended("\(phase)") }
        while phase == .connecting, !Task.isCancelled {
            guard let device = await findDevice(), phase == .connecting else { return }
            self.device = device
            if device.isConnected, await isUsable(device) { return linkIsUp() }
            // The kernel pairs with the capabilities of the agent that it knew when the link began, and asks this one.
            await session.sharedAgent.waitUntilRegistered()
            guard phase == .connecting else { return }
            do {
                isCalling = true
                isLinkOwn = true
                encryptionFailures.attemptBegins()
                pairingWatch.linkBegins()
                defer { isCalling = false }
                try await device.connect()
                guard phase == .connecting else { return }
                if device.isConnected, await isEncrypted(device) { return linkIsUp() }
                guard phase == .connecting else { return }
                // The link was up and has ended before this could be seen: the same as a failure.
                attempts.failed("\(BlueZError.notConnected)")
                if let error = await pairingFault(after: nil, device) { return giveUp(error) }
            } catch let error as BlueZError {
                attempts.failed("\(error)")
                guard phase == .connecting else { return }
                if case .accessDenied(let reason) = error {
                    return giveUp(CBError(.connectionFailed, userInfo: [NSLocalizedDescriptionKey: reason]))
                }
                if let error = await pairingFault(after: error, device) { return giveUp(error) }
                if case .inProgress = error { isLinkOwn = false }
                await recover(from: error, device, failures)
            } catch {
                return
            }
            failures += 1
            isLinkOwn = isLinkOwn && device.isConnected
            try? await Task.sleep(for: Self.pause(after: failures))
        }
    }

    /// Quick at first, in case something is only busy; then slowly enough to leave the controller to others.
    private static func pause(after failures: Int) -> Duration { .milliseconds(min(100 << min(failures, 5), 2000)) }

    private func findDevice() async -> Device? {
        guard let adapter = core?.adapter else { return nil }
        // Usually the app has just found it, and its scan may still be ending.
        await adapter.discovery.waitUntilStopped()
        // Nobody would end a search that begins after the attempt was given up.
        guard phase == .connecting, !Task.isCancelled else { return nil }
        if let device = core?.device(peer) { return device }
        let search = DeviceSearch(adapter.discovery) { [weak self] in self.flatMap { $0.core?.device($0.peer) } }
        self.search = search
        let device = await search.run()
        self.search = nil
        await adapter.discovery.waitUntilStopped()
        return device
    }

    /// A program that died while it connected, or a controller that was switched off then, can leave bluetoothd
    /// believing that it still does (BlueZ 5.66): only asking for the opposite, or forgetting the device, clears that.
    private func recover(from error: BlueZError, _ device: Device, _ failures: Int) async {
        let isLongSo = failures > 0 && failures.isMultiple(of: 10)
        guard case .inProgress = error, isLongSo || device.isAttemptAbandoned else { return }
        device.isAttemptAbandoned = false
        try? await device.disconnect()
        if isLongSo, failures.isMultiple(of: 20), !device.isPaired, phase == .connecting, !device.isConnected {
            try? await device.adapter?.remove(device)
        }
    }

    private func giveUp(_ error: CBError) {
        phase = .ended
        core?.failedConnections[peripheral.identifier, default: FailedConnections()].add()
        core?.forget(self)
        core?.post { [peripheral, request = options.request] manager in
            peripheral.connectionIsDown(request: request)
            manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: error)
        }
    }

    private func linkIsUp() {
        guard phase == .connecting, let device else { return }
        phase = .connected
        core?.failedConnections[peripheral.identifier] = nil
        device.linkUse.begin(self, isOwn: isLinkOwn || options.takesLinkOver)
        device.isAttemptAbandoned = false
        attempt?.cancel()
        let name = device.name
        core?.post { [peripheral] manager in
            peripheral.connectionIsUp(name: name)
            manager.delegate?.centralManager(manager, didConnect: peripheral)
        }
        limitResolution()
        resolveIfReady()
    }

    // MARK: Ending

    /// The app no longer wants the connection, or the attempt.
    func cancel() {
        switch phase {
        case .connecting:
            phase = .ended
            stopTrying()
            if let device, isLinkOwn { Task { try? await device.disconnect() } }
            end(error: nil)
        case .connected:
            phase = .disconnecting
            dropRequests()
            guard let device else { return end(error: nil) }
            guard device.linkUse.end(self) else { return leave() }
            timer = .timer(after: Self.disconnectionTimeout) { [weak self] in self?.end(error: nil) }
            Task { [weak self] in
                do {
                    try await device.disconnect()
                } catch {
                    if self?.phase == .disconnecting { self?.end(error: nil) }
                }
            }
        case .ending:
            options.reconnects = false
            nextOptions = nil
        case .disconnecting: nextOptions = nil
        case .ended: break
        }
    }

    /// Ends the app's connection. The link stays, for whoever else uses it.
    private func leave() {
        for subscription in subscriptions.values {
            subscription.stop { _ in }
            subscription.end()
        }
        subscriptions = [:]
        device = nil
        end(error: nil)
    }

    /// The controller was removed or bluetoothd has ended: the app learns it from the manager's state.
    func abandon() {
        phase = .ended
        nextOptions = nil
        if isCalling { device?.isAttemptAbandoned = true }
        _ = device?.linkUse.end(self)
        stopTrying()
        dropConnectionState()
        post { [request = options.request] in $0.connectionIsDown(request: request) }
    }

    private func stopTrying() {
        attempt?.cancel()
        attempt = nil
        search?.cancel()
        onCancel?()
        timer?.cancel()
    }

    private func dropConnectionState() {
        linkNumber += 1
        dropRequests()
        attributes = [:]
        subscriptions.values.forEach { $0.linkHasEnded() }
        subscriptions = [:]
        writeSockets.values.forEach { $0.close() }
        writeSockets = [:]
        channelOpenings = [:]
        isResolved = false
        resolutionFailure = nil
        resolutionTimer = nil
        resolutionWaiters = []
        discovery.clear()
        explored = []
        missedRemovals = []
        serviceChanges.clear()
        changeWaiters = []
        requestAfterChange = nil
        drainTimer = nil
        busyTimer = nil
        pairingWatch.requestEnds()
        endReason = nil
    }

    private func end(error: CBError?, reason: DisconnectionReason? = nil) {
        timer?.cancel()
        let halfKnown = halfKnownDevice
        let isUnexpected = phase == .connected
        dropConnectionState()
        // An attempt that is given up is not kept waiting.
        guard phase != .ended, halfKnown != nil || isUnexpected else { return reportEnd(error) }
        phase = .ending
        Task {
            if let halfKnown { await forget(halfKnown) }
            if isUnexpected { await waitForPowerOff(after: reason) }
            if phase == .ending { reportEnd(error) }
        }
    }

    private func reportEnd(_ error: CBError?) {
        let reconnects = error != nil && options.reconnects
        let timestamp = Date().timeIntervalSinceReferenceDate
        core?.post { [peripheral, request = options.request] manager in
            peripheral.connectionIsDown(request: request, isReconnecting: reconnects)
            manager.delegate?.centralManager(
                manager, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: reconnects,
                error: error)
        }
        connectNext(reconnects)
    }

    /// Connects again if the app wants that.
    private func connectNext(_ reconnects: Bool) {
        if reconnects {
            if let nextOptions { options = nextOptions }
            nextOptions = nil
            return start()
        }
        phase = .ended
        core?.forget(self)
        if let nextOptions { core?.connect(peripheral, nextOptions) }
    }

    // MARK: Reports from bluetoothd

    func deviceAdded(_ device: Device) {
        search?.look()
    }

    func deviceChanged(_ device: Device, _ changes: PropertyChanges<Device1>) {
        guard device === self.device else { return }
        // First: the end of the link may be reported together with it.
        if changes[Device1.paired] == true { pairingWatch.paired() }
        if let connected = changes[Device1.connected] {
            switch (connected, phase) {
            // The link to a paired device has to be encrypted first, and that may fail.
            case (_, .connecting) where isCalling && device.isPaired: encryptionFailures.linkIsReported()
            case (true, .connecting) where isCalling: linkIsUp()
            case (false, .connected):
                let fault = EncryptionFailures.fault(device, hasAgreed: pairingWatch.hasAgreed)
                pairingWatch.linkEnds(mayBeLost: device.adapter?.bluezVersion?.mayLoseLinksThatPair ?? true)
                let reason = device.disconnectionReason
                end(error: endReason ?? fault ?? CBError(reason), reason: reason)
            case (false, .disconnecting): end(error: nil)
            default: break
            }
        }
        onExistingLinkChange?()
        if changes.contains(Device1.servicesResolved) { resolveIfReady() }
        if phase == .connected, let name = changes[Device1.deviceName] {
            post { peripheral in
                guard peripheral.name != name else { return }
                peripheral.name = name
                peripheral.delegate?.peripheralDidUpdateName(peripheral)
            }
        }
    }

    func deviceRemoved() {
        let reason = device?.disconnectionReason
        device = nil
        switch phase {
        case .connected: end(error: CBError(reason), reason: reason)
        case .disconnecting: end(error: nil)
        // bluetoothd has forgotten the call together with the device.
        case .connecting where isCalling:
            attempt?.cancel()
            attempt = Task { [weak self] in await self?.attemptUntilConnected() }
        case .connecting, .ending, .ended: break
        }
    }
}
