import BlueZ
import DBus
import Logging
import MainLoop

/// Follows the controller that a manager uses, through power changes and restarts of bluetoothd.
@LoopActor
final class AdapterWatch {
    /// What the manager needs the controller for.
    enum Role: Swift.Sendable {
        case central
        case peripheral
    }

    /// The controller in use, on or off; nil while there is none.
    private(set) var adapter: Adapter?
    /// The state as last reported; ``CBManagerState/unknown`` before the first report.
    private(set) var state: CBManagerState = .unknown

    private let choice: AdapterChoice
    private let role: Role
    private let session: BlueZSession
    private let onChange: @LoopActor (CBManagerState, Adapter?) -> Void
    private var observation: Registration?
    /// The controller that was on while it was in use.
    private var settledAddress: String?
    private var settling: LoopSource?
    private var hasSettled = false

    /// Starts to watch.
    ///
    /// - Parameter onChange: called when the state or the controller has changed, the first time as soon as the state
    ///   is known, and never from within this initializer. A change from one usable controller to another is reported
    ///   as ``CBManagerState/resetting`` first.
    init(
        choice: AdapterChoice, role: Role, session: BlueZSession,
        onChange: @escaping @LoopActor (CBManagerState, Adapter?) -> Void
    ) {
        self.choice = choice
        self.role = role
        self.session = session
        self.onChange = onChange
        observation = session.observe { [weak self] in self?.handle($0) }
        MainLoop.shared.async { [weak self] in
            session.start()
            self?.evaluate()
        }
    }

    /// Ends the watch.
    func cancel() {
        observation?.cancel()
        observation = nil
        settling?.cancel()
        settling = nil
    }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .stateChanged(let state):
            if state != .available { resetSettling() }
            evaluate()
        case .adapterAdded(let other), .adapterChanged(let other, _):
            if concerns(other) { evaluate() }
        case .adapterRemoved(let other):
            guard concerns(other) else { break }
            // When bluetoothd goes, its objects are reported as removed one by one before the session's state changes.
            MainLoop.shared.async { [weak self] in self?.evaluate() }
        default: break
        }
    }

    /// Whether what happens to a controller can make a difference. A program may have a manager for each of many
    /// controllers, all of which hear of all.
    private func concerns(_ other: Adapter) -> Bool {
        switch choice {
        case .named(let name): other === adapter || other.isNamed(name)
        case .firstPowered: true
        }
    }

    private func resetSettling() {
        settling?.cancel()
        settling = nil
        hasSettled = false
    }

    private func evaluate() {
        guard observation != nil else { return }
        let (newState, newAdapter) = current()
        if let adapter, let newAdapter, adapter !== newAdapter { report(.resetting, nil) }
        report(newState, newAdapter)
    }

    private func report(_ newState: CBManagerState, _ newAdapter: Adapter?) {
        guard newState != state || newAdapter !== adapter else { return }
        logger.debug("\(role) manager: \(newState)", metadata: ["adapter": "\(newAdapter?.name ?? "none")"])
        state = newState
        adapter = newAdapter
        onChange(newState, newAdapter)
    }

    private func current() -> (CBManagerState, Adapter?) {
        let hasBeenUsed = state != .unknown && state != .unsupported && state != .unauthorized
        switch session.state {
        case .starting: return (state, nil)
        case .lost: return (.resetting, nil)
        case .unavailable(.accessDenied): return (.unauthorized, nil)
        case .unavailable: return (hasBeenUsed ? .resetting : .unsupported, nil)
        case .available: break
        }
        let adapters = session.adapters
        let candidates = adapters.map(AdapterChoice.Candidate.init)
        let index = choice.pick(from: candidates, settledOn: settledAddress, insists: !hasSettled)
        guard let index, supportsRole(adapters[index]) else {
            // Perhaps not yet: bluetoothd adds and removes the parts of a controller one after the other.
            guard hasSettled else {
                waitForAdapters()
                return (hasBeenUsed ? .resetting : state, nil)
            }
            return (.unsupported, index.map { adapters[$0] })
        }
        let adapter = adapters[index]
        if adapter.isPowered { settledAddress = adapter.address }
        // Once one is in use, its disappearance is waited out again.
        resetSettling()
        return (adapter.isPowered ? .poweredOn : .poweredOff, adapter)
    }

    private func supportsRole(_ adapter: Adapter) -> Bool {
        switch role {
        case .central: adapter.roles.isEmpty || adapter.roles.contains("central")
        case .peripheral: adapter.offersGattManager && adapter.offersAdvertising
        }
    }

    private func waitForAdapters() {
        guard settling == nil else { return }
        settling = .timer(after: session.timing.settling) { [weak self] in
            guard let self else { return }
            hasSettled = true
            if case .named(let name) = choice, session.adapter(named: name) == nil {
                let known = session.adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
                Diagnostics.warning("no Bluetooth adapter \(name); available: \(known.isEmpty ? "none" : known)")
            }
            evaluate()
        }
    }
}
