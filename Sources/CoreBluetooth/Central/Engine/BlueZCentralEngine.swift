import BlueZ
import MainLoop

/// The central role on BlueZ: hands what the app asks for over to the loop, where ``CentralCore`` does the work.
final class BlueZCentralEngine: CentralEngine {
    private let core: CentralCore
    /// Whether connections take notifications from sockets when their options do not say.
    private let usesNotifySockets: Bool

    init(manager: CBCentralManager, agent: AgentAccess, session: BlueZSession) {
        let choice = AdapterChoice(option: manager.options[CBCentralManagerOptionAdapterKey])
        usesNotifySockets = manager.options.flag(CBCentralManagerOptionUseNotifySocketsKey) ?? false
        let registration = (manager.options[CBCentralManagerOptionRestoreIdentifierKey] as? String).map {
            AppRegistration(
                identifier: $0, command: manager.options[CBCentralManagerOptionRestoreCommandKey] as? [String])
        }
        core = CentralCore(
            manager: manager, choice: choice, registration: registration, agent: agent, session: session)
    }

    /// Begins to work. The manager must have its engine by then: the first state comes at once, and the app may ask for
    /// something when it has it.
    func start() {
        MainLoop.shared.async { [core] in core.start() }
    }

    func invalidate() {
        MainLoop.shared.async { [core] in core.stop() }
    }

    // MARK: Scanning

    func scan(for services: [CBUUID]?, options: [String: Any]) {
        let filter = DiscoveryFilter(
            serviceUUIDs: services?.map(\.bluezText) ?? [],
            reportsDuplicates: options.flag(CBCentralManagerScanOptionAllowDuplicatesKey) ?? false)
        let call = core.epochs.current
        MainLoop.shared.async { [core] in core.scan(filter, in: call) }
    }

    func stopScan() {
        MainLoop.shared.async { [core] in core.stopScan() }
    }

    func settle(_ done: @escaping @Sendable () -> Void) {
        MainLoop.shared.async { [core] in core.settle(done) }
    }

    // MARK: Connecting

    func connect(_ peripheral: CBPeripheral, options: [String: Any]) {
        let request = peripheral.connectionIsWanted()
        let options = ConnectOptions(options, usesNotifySockets: usesNotifySockets, request: request)
        let call = core.epochs.current
        MainLoop.shared.async { [core] in core.connect(peripheral, options, in: call) }
    }

    func cancelConnection(_ peripheral: CBPeripheral) {
        peripheral.connectionIsUnwanted()
        MainLoop.shared.async { [core] in core.cancelConnection(peripheral) }
    }

    func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        let manager = core.manager
        return identifiers.filter { PeerIdentifier($0) != nil }.map { core.registry.peripheral($0, of: manager) }
    }

    func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral] {
        let manager = core.manager
        let wanted = Set(services.map(\.bluezText))
        let identifiers = MainLoop.shared.sync { [core] in core.connectedDevices(offering: wanted) }
        return identifiers.map { core.registry.peripheral($0, of: manager) }
    }

    func registerForConnectionEvents(_ options: [CBConnectionEventMatchingOption: Any]?) {
        let services = options?[.serviceUUIDs] as? [CBUUID]
        let identifiers = options?[.peripheralUUIDs] as? [UUID]
        let filter = options.map { _ in
            ConnectionEventFilter(
                services: services.map { Set($0.map(\.bluezText)) }, identifiers: identifiers.map(Set.init))
        }
        MainLoop.shared.async { [core] in core.connectionEvents = filter }
    }

    // MARK: Pairing

    func setPairing(_ settings: PairingSettings?) {
        MainLoop.shared.async { [core] in core.setPairing(settings) }
    }

    func pair(_ peripheral: CBPeripheral, completion: @escaping @Sendable (CBPairingError?) -> Void) {
        Task { @LoopActor [core] in
            let error = await core.pair(peripheral)
            core.post { _ in completion(error) }
        }
    }

    // MARK: Requests

    private static let longCommand = Advice(
        "a write without response of more than \(ATT.maximumCommandValueLength) bytes: it is sent, but a peripheral on "
            + "BlueZ before 5.70 drops it silently")

    func perform(_ request: GATTRequest, on peripheral: CBPeripheral) {
        if case .writeWithoutResponse(let data, _) = request {
            let capacity = peripheral.commandCapacity
            guard data.count <= capacity else {
                return Diagnostics.misuse("dropped a write without response of \(data.count) bytes (limit \(capacity))")
            }
            if data.count > ATT.maximumCommandValueLength { Self.longCommand.give() }
            guard peripheral.commandBegins() else { return }
        }
        MainLoop.shared.async { [core] in
            if let link = core.link(of: peripheral) { return link.perform(request) }
            // The link has ended while this was on its way.
            core.post { _ in request.completion?.drop() }
        }
    }
}

/// Connect option, `Bool`, default false, for the restoration agent: whether the program ends the link as if it had
/// made it. It takes up those that apps have made.
package let CBConnectPeripheralOptionTakeLinkOverKey = "CBLinuxConnectOptionTakeLinkOver"

/// What `connect` was asked for, by the keys `CBConnectPeripheralOption…`.
struct ConnectOptions: Swift.Sendable {
    var startDelay: Duration?
    var reconnects = false
    var usesNotifySockets: Bool
    var takesLinkOver = false
    /// The number of the call; 0 if it was made by an earlier run of the program.
    let request: Int

    init(_ options: [String: Any], usesNotifySockets: Bool, request: Int = 0) {
        self.request = request
        takesLinkOver = options.flag(CBConnectPeripheralOptionTakeLinkOverKey) ?? false
        if let seconds = (options[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue, seconds > 0,
            seconds.isFinite
        {
            startDelay = .seconds(min(seconds, 1e6))
        }
        reconnects = options.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
        self.usesNotifySockets = options.flag(CBConnectPeripheralOptionUseNotifySocketsKey) ?? usesNotifySockets
    }
}

/// Which connections `registerForConnectionEvents` reports; nil means any.
struct ConnectionEventFilter: Swift.Sendable {
    let services: Set<String>?
    let identifiers: Set<UUID>?
}

extension [String: Any] {
    /// A Boolean option, given as a Bool or as a number; nil when it is not there, or something else.
    func flag(_ key: String) -> Bool? {
        (self[key] as? Bool) ?? (self[key] as? NSNumber)?.boolValue
    }
}
