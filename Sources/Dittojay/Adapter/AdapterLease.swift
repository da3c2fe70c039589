import BlueZ
import CoreBluetooth
import DBus
import Foundation
import MainLoop
import Posix

/// Looks after the controller that a virtual peripheral runs on, as far as Apple's API does not: its power, its name,
/// and who is connected to it.
@LoopActor
final class AdapterLease: LinkControl {
    /// What happens on the controller.
    enum Event: Swift.Sendable {
        case connected(address: String)
        case disconnected(address: String, reason: DisconnectionReason?)
        /// A connected central has sent something. The MTU is the ATT MTU of its link.
        case activity(address: String, mtu: Int)
        /// What this central has sent came over a link that has ended.
        case staleLink(address: String)
        /// A central has been paired with.
        case paired(address: String)
        /// Pairing with a central has failed, or its link could not be encrypted.
        case pairingFailed(address: String, reason: String)
        case failed(String)
    }

    /// The controller that was chosen.
    struct Description: Hashable, Swift.Sendable {
        var name: String
        var address: String
        /// Whether bluetoothd takes the interval of advertising. One whose release is not known counts as new.
        var takesIntervals = true
    }

    private let session: BlueZSession
    private let selection: String?
    private let alias: String
    private let queue: DispatchQueue
    private let onEvent: @Sendable (Event) -> Void
    private weak var manager: CBPeripheralManager?

    private let folder: RuntimeFolder
    private var chosen: Description?
    private var observation: Registration?
    private var history: ConnectionHistory
    /// Who waits for the end of a link.
    private var linkEnds: [ObjectPath: [FirstOutcome<Void>]] = [:]
    /// The alias to be restored; nil while it is unchanged.
    private var formerAlias: String?
    private var hasPoweredOn = false
    /// Whether a command has switched it off.
    private var hasPoweredOff = false
    /// The change of the controller's power and name at the start.
    private var setup: Task<Void, any Error>?
    private var isStopped = false
    /// Whether the controller was on when last seen.
    private var wasPowered = false

    /// How long bluetoothd, once it has ended a link, may take to report that.
    private static let timeout = Duration.seconds(1)

    /// - Parameters:
    ///   - selection: the controller's name or address. If nil, the first one that is powered, or else the first one.
    ///   - alias: the name that centrals see while the peripheral runs.
    ///   - folder: where the controller's former name is recorded.
    ///   - onEvent: called on the queue.
    nonisolated init(
        selection: String?, alias: String, session: BlueZSession, folder: RuntimeFolder, queue: DispatchQueue,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.session = session
        history = ConnectionHistory(longestFailure: session.timing.failedEncryption)
        self.folder = folder
        self.selection = selection
        self.alias = alias
        self.queue = queue
        self.onEvent = onEvent
    }

    /// Reports what happens among what this manager reports, in order. To be called before it publishes anything.
    func follow(_ manager: CBPeripheralManager) {
        self.manager = manager
    }

    private func report(_ event: Event) {
        let report: @Sendable () -> Void = { [onEvent] in onEvent(event) }
        guard let manager else { return queue.async(execute: report) }
        manager.report(report)
    }

    /// Perhaps the last word before the end, and nothing of a link.
    private func report(failure: String) {
        queue.async { [onEvent] in onEvent(.failed(failure)) }
    }

    /// Chooses the controller, switches it on if it is off, and gives it the name.
    ///
    /// - Throws: ``DittojayError``; ``BlueZError`` when bluetoothd cannot be reached.
    func start() async throws -> Description {
        let adapter = try await session.choose { try chooseAdapter() }
        try? folder.prepare()
        guard adapter.offersGattManager, adapter.offersAdvertising else {
            throw DittojayError.adapterUnusable(
                "the Bluetooth adapter \(adapter.name) does not support the peripheral role")
        }
        guard !isStopped else { throw DittojayError.adapterUnusable("stopped before it started") }
        chosen = Description(adapter)
        let setup = Task { try await setUp(adapter) }
        self.setup = setup
        do {
            try await setup.value
        } catch {
            await stop()
            throw DittojayError.adapterUnusable("cannot set up the Bluetooth adapter \(adapter.name): \(error)")
        }
        // Stopped: its events mean nothing to anybody any longer.
        guard !isStopped else { throw DittojayError.adapterUnusable("stopped during setup") }
        // A central that is connected already did not come for this peripheral, but may use it: only its disconnection
        // is reported.
        for device in adapter.devices where device.isConnected {
            history.connected(device.path, address: device.address)
            history.used(device.path)
        }
        observation = session.observe { [weak self] event in self?.handle(event) }
        return Description(adapter)
    }

    private func setUp(_ adapter: Adapter) async throws {
        if !adapter.isPowered {
            try await switchOn(adapter)
            hasPoweredOn = true
        }
        wasPowered = true
        try await giveName(to: adapter)
    }

    /// Restores the controller's name and power. Does nothing the second time.
    func stop() async {
        isStopped = true
        // What the setup changes after this could not be restored.
        _ = await setup?.result
        observation?.cancel()
        observation = nil
        defer {
            formerAlias = nil
            hasPoweredOn = false
            hasPoweredOff = false
        }
        guard let adapter = currentAdapter else { return }
        do {
            // A name that somebody else has given meanwhile stays.
            if let formerAlias {
                if adapter.alias == alias { try await adapter.setAlias(formerAlias) }
                unlink(recordPath(adapter))
            }
            if hasPoweredOn {
                try await adapter.setPowered(false)
            } else if hasPoweredOff {
                try await switchOn(adapter)
            }
        } catch {
            report(failure: "cannot restore the Bluetooth adapter \(adapter.name): \(error)")
        }
    }

    func setPower(_ isOn: Bool) async throws {
        guard !isStopped, let adapter = currentAdapter else {
            throw DittojayError.adapterUnusable("no Bluetooth adapter at the moment")
        }
        // What the manager was asked to end before, such as advertising, is to reach bluetoothd before this.
        if !isOn {
            await withCheckedContinuation { turn in MainLoop.shared.async { MainLoop.shared.async { turn.resume() } } }
        }
        // Nobody else's change: it comes back with bluetoothd as this leaves it.
        wasPowered = isOn
        if isOn { try await switchOn(adapter) } else { try await adapter.setPowered(false) }
        hasPoweredOff = !isOn
    }

    func signals() async -> [String: Int] {
        var signals: [String: Int] = [:]
        for device in (currentAdapter?.devices ?? []) where device.isConnected {
            // 127: the controller does not know it.
            guard let rssi = try? await device.readRSSI(), rssi != 127 else { continue }
            signals[device.address] = rssi
        }
        return signals
    }

    /// Ends the connections of all centrals, or of one.
    ///
    /// - Returns: the addresses of those that were connected.
    func disconnectCentrals(address: String?) async -> [String] {
        let devices = (currentAdapter?.devices ?? []).filter { device in
            device.isConnected
                && (address == nil || device.address.caseInsensitiveCompare(address ?? "") == .orderedSame)
        }
        var addresses: [String] = []
        for device in devices {
            do {
                // Before that is answered: the central may connect again at once.
                let end = nextEnd(of: device)
                try await device.endLink()
                addresses.append(device.address)
                await end?.wait(within: Self.timeout)
            } catch {
                report(failure: "cannot disconnect \(device.address): \(error)")
            }
        }
        return addresses
    }

    /// What is reported when the link has ended; nil without one. bluetoothd (5.66) answers before that.
    private func nextEnd(of device: Device) -> FirstOutcome<Void>? {
        guard history.address(device.path) != nil else { return nil }
        let end = FirstOutcome<Void>()
        linkEnds[device.path, default: []].append(end)
        return end
    }

    private var currentAdapter: Adapter? {
        chosen.flatMap { session.adapter(named: $0.address) }
    }

    private func chooseAdapter() throws(DittojayError) -> Adapter {
        let adapters = session.adapters
        if let selection {
            if let adapter = session.adapter(named: selection) { return adapter }
        } else if let adapter = adapters.first(where: \.isPowered) ?? adapters.first {
            return adapter
        }
        let known = adapters.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
        throw .noAdapter(
            known.isEmpty
                ? "no Bluetooth adapter on this machine (bluetoothd is running, but has none)"
                : "no Bluetooth adapter \(selection ?? ""); available: \(known)")
    }

    /// Gives the controller its name, and records its former name.
    private func giveName(to adapter: Adapter) async throws {
        let path = recordPath(adapter)
        if formerAlias == nil, let left = AliasRecord(path: path), left.given == adapter.alias {
            // An earlier run was killed before it could restore the name.
            formerAlias = left.former
        }
        guard adapter.alias != alias else { return }
        // The empty alias means the system's name, whatever that will be.
        let former = formerAlias ?? (adapter.alias == adapter.systemName ? "" : adapter.alias)
        AliasRecord(given: alias, former: former).write(path: path)
        formerAlias = former
        try await adapter.setAlias(alias)
    }

    private func recordPath(_ adapter: Adapter) -> String {
        AliasRecord.path(address: adapter.address, folder: folder)
    }

    /// bluetoothd is busy while it starts, and may be about to switch the controller on by itself.
    private func switchOn(_ adapter: Adapter) async throws {
        var attempts = RetryLog(logger, "switch \(adapter.name) on")
        for attempt in 1... {
            do {
                try await adapter.setPowered(true)
                return attempts.ended()
            } catch {
                attempts.failed("\(error)")
                if adapter.isPowered { return }
                if attempt == 20 { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .deviceAdded(let device):
            guard device.adapter?.address == chosen?.address else { return }
            update(device, isConnected: device.isConnected)
        case .deviceChanged(let device, let changes):
            guard device.adapter?.address == chosen?.address else { return }
            if changes[Device1.paired] == true { hasPaired(device) }
            update(device, isConnected: device.isConnected)
        case .deviceRemoved(let device):
            // Its adapter may have been removed first; the path is enough.
            update(device, isConnected: false)
        case .adapterAdded(let adapter):
            guard adapter.address == chosen?.address else { return }
            Task { await restore(adapter) }
        case .adapterChanged(let adapter, let changes):
            guard adapter.address == chosen?.address else { return }
            if changes[Adapter1.powered] != nil { wasPowered = adapter.isPowered }
        case .pairing(let device, let step):
            guard device.adapter?.address == chosen?.address else { return }
            note(step, of: device)
        case .adapterRemoved, .advertisingChanged, .stateChanged, .serviceAdded, .serviceRemoved, .attributeAdded: break
        }
    }

    private func update(_ device: Device, isConnected: Bool) {
        let path = device.path
        if isConnected {
            if history.address(path) == nil {
                history.connected(path, address: device.address)
                report(.connected(address: device.address))
            }
            // bluetoothd may report this when the link has ended for want of keys.
            if device.areServicesResolved { noteUse(of: device, over: [.encrypted]) }
            return
        }
        let reason = device.disconnectionReason
        guard
            let end = history.disconnected(
                path, isPaired: device.isPaired, failedAuthentication: reason == .authentication)
        else { return }
        let waiting = linkEnds.removeValue(forKey: path) ?? []
        // The manager, which may be told after this, reports what ends with the link first: subscriptions.
        session.afterObservers { [weak self] in
            self?.report(.disconnected(address: end.address, reason: reason))
            if let reason = end.problem { self?.report(.pairingFailed(address: end.address, reason: reason)) }
            for end in waiting { end.report() }
        }
    }

    /// What happened before the link of a paired central was encrypted does not show that it still has its keys: it may
    /// find services, and read what needs none.
    ///
    /// - Parameter kinds: the links that count. One may have ended by now.
    private func noteUse(of device: Device, over kinds: Set<KernelLinks.Link>) {
        guard history.isUnused(device.path) else { return }
        if device.isPaired, let link = device.kernelLink, !kinds.contains(link) { return }
        history.used(device.path)
    }

    private func note(_ step: PairingStep, of device: Device) {
        switch step {
        case .asked: break
        case .agreed(.justWorks): history.agreedToPair(device.path)
        case .displayed, .agreed(.passkeyEntry):
            history.agreedToPair(device.path, otherwise: "the passkey is wrong, or it refused")
        case .agreed(.numericComparison):
            history.agreedToPair(device.path, otherwise: "the numbers do not match, or it refused")
        case .refused(let question):
            pairingHasFailed(device, "it wants \(question.text) to pair, and dittojay refused")
        case .cancelled: pairingHasFailed(device, "it gave up, or was not answered in time")
        }
    }

    private func hasPaired(_ device: Device) {
        history.pairingHasEnded(device.path)
        report(.paired(address: history.address(device.path) ?? device.address))
    }

    private func pairingHasFailed(_ device: Device, _ reason: String) {
        history.pairingHasEnded(device.path)
        report(.pairingFailed(address: history.address(device.path) ?? device.address, reason: reason))
    }

    /// A central that is not known as connected has sent something: finds out whether it is connected.
    ///
    /// Its request may have been on its way to the peripheral's queue while its link ended, or be older than the report
    /// of its connection, which bluetoothd 5.66 sometimes leaves out.
    func confirmConnection(of address: String, mtu: Int) {
        guard let device = currentAdapter?.devices.first(where: { $0.address == address }) else {
            return report(.staleLink(address: address))
        }
        let path = device.path
        if let address = history.address(path) {
            noteUse(of: device, over: [.encrypted, .absent])
            return report(.activity(address: address, mtu: mtu))
        }
        session.confirmConnection(of: path) { [weak self] _ in
            guard let self else { return }
            noteUse(of: device, over: [.encrypted, .absent])
            report(history.address(path).map { .activity(address: $0, mtu: mtu) } ?? .staleLink(address: address))
        }
    }

    /// Sets up a controller again that has come back, with bluetoothd or by itself.
    private func restore(_ adapter: Adapter) async {
        do {
            if !adapter.isPowered, wasPowered { try await switchOn(adapter) }
            try await giveName(to: adapter)
        } catch {
            report(failure: "cannot set up the Bluetooth adapter \(adapter.name) again: \(error)")
        }
    }
}

extension AdapterLease.Description {
    @LoopActor
    fileprivate init(_ adapter: Adapter) {
        self.init(
            name: adapter.name, address: adapter.address,
            takesIntervals: adapter.bluezVersion?.takesAdvertisingIntervals ?? true)
    }
}
