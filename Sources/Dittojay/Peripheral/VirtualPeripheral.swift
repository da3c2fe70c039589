import BlueZ
import CoreBluetooth
import GATTProfiles
import MainLoop
import UserFolders

/// A Bluetooth LE peripheral that exists in software only, made from a ``PeripheralProfile``.
///
/// Everything happens on one serial queue: its methods are to be called there, and its closures are called there.
// @unchecked: the state is only touched on `queue`, which every method that can be called from outside checks, or on
// which it is called by the manager and by what this class schedules.
public final class VirtualPeripheral: NSObject, @unchecked Swift.Sendable {
    /// How a peripheral is to be run.
    public struct Options: Hashable, Swift.Sendable {
        /// The controller's name or address; the first that is powered if nil.
        public var adapter: String?
        /// The name to be advertised; the profile's if nil.
        public var localName: String?
        /// By which the same run can be had again.
        public var seed: UInt64
        /// Where to listen for commands; nowhere if nil.
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

    public let profile: PeripheralProfile
    public let options: Options
    /// The name that is advertised.
    public let localName: String
    public let queue: DispatchQueue

    /// Called for everything that the user may want to see. Nil costs nothing.
    public var onEvent: ((PeripheralEvent) -> Void)?
    /// Called once when the peripheral advertises for the first time, or has failed to: from then on commands make
    /// sense.
    public var onReady: (() -> Void)?
    /// How many lines of output were dropped by the program that shows the events; for ``status``.
    public var droppedLines: (() -> Int)?
    /// Called once when the peripheral has ended: without an error after ``stop()``, with one if it could not start.
    public var onEnd: ((DittojayError?) -> Void)?

    private let session: BlueZSession
    private let folder: RuntimeFolder
    let services: SimulatedServices
    var manager: CBPeripheralManager?
    var custodian: AdapterCustodian?
    var adapter: AdapterCustodian.Description?
    var burst: Burst?
    /// Those that are connected, by address, as the custodian reports it.
    var centrals: [String: PeripheralEvent.Central] = [:]
    var reads: UInt64 = 0
    var writes: UInt64 = 0
    /// Requests that are to get no answer, by the central's address, until the central is gone.
    var unanswered: [String: [CBATTRequest]] = [:]
    /// The addresses of centrals whose connection a fault is ending.
    var isDisconnecting: Set<String> = []
    /// Scenarios and reactions to writes that are being played.
    var runners: [ObjectIdentifier: StepRunner] = [:]
    /// Steps that wait for something to happen.
    var awaited: [AwaitedOccasion] = []
    /// Who waits for a service to be published, by the service's name.
    var publicationReplies: [String: [(ControlReply) -> Void]] = [:]
    /// Whether the advertised services have changed while the answer to `startAdvertising` was outstanding.
    var advertisedServices: [String]?

    private var server: ControlServer?
    private let started = DispatchTime.now()
    private var hasBeenOn = false
    private var hasBeenReady = false

    private enum Life { case new, running, stopping, ended }
    private var life = Life.new
    var isRunning: Bool { life == .running }

    /// - Parameter queue: a serial queue.
    public convenience init(profile: PeripheralProfile, options: Options, queue: DispatchQueue) {
        self.init(profile: profile, options: options, queue: queue, session: .shared)
    }

    /// Makes a peripheral on another bluetoothd than the system's.
    ///
    /// - Parameter folder: for what has to be put back.
    package init(
        profile: PeripheralProfile, options: Options, queue: DispatchQueue, session: BlueZSession,
        folder: RuntimeFolder = RuntimeFolder(program: "dittojay")
    ) {
        self.session = session
        self.folder = folder
        self.profile = profile
        self.options = options
        self.queue = queue
        localName = options.localName ?? profile.localName
        services = SimulatedServices(profile, seed: options.seed, queue: queue)
        super.init()
        for characteristic in services.characteristics {
            characteristic.onFault = { [weak self, weak characteristic] action in
                if let self, let characteristic { sendingWentWrong(characteristic, action) }
            }
        }
    }

    // MARK: Life

    /// Starts: chooses the controller, publishes the services and advertises them. What comes of it is told by events,
    /// and by ``onEnd`` if it cannot be.
    public func start() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard life == .new else { return }
        life = .running
        if let address = options.controlSocket {
            do throws(DittojayError) {
                server = try ControlServer(address, queue: queue) { [weak self] request, reply in
                    self?.perform(request, reply: reply)
                }
            } catch {
                return end(error)
            }
        }
        tell(.started) { event in
            event.profile = profile.name
            event.seed = options.seed
            event.socket = options.controlSocket?.path
        }
        let custodian = AdapterCustodian(
            selection: options.adapter, alias: localName, session: session, folder: folder,
            onEvent: { [weak self, queue] event in queue.async { [weak self] in self?.handle(event) } })
        self.custodian = custodian
        Task {
            do {
                let adapter = try await custodian.start()
                queue.async { [self] in run(on: adapter) }
            } catch {
                let error = error as? DittojayError ?? .bluetoothUnavailable("cannot use Bluetooth: \(error)")
                // Stopped meanwhile, it ends as `stop` has it.
                queue.async { [self] in if isRunning { end(error) } }
            }
        }
    }

    /// Stops: disconnects the centrals, withdraws everything, and puts the controller back as it was. ``onEnd`` is
    /// called when that is done.
    public func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard life == .running else { return }
        life = .stopping
        server?.stop()
        for runner in runners.values { runner.cancel() }
        runners = [:]
        awaited = []
        burst?.cancel("dittojay was stopped")
        if let manager, manager.state == .poweredOn {
            manager.stopAdvertising()
        }
        endLinks { [self] _ in
            withdraw()
            manager = nil
            Task { [custodian, queue] in
                await custodian?.stop()
                queue.async { [self] in end(nil) }
            }
        }
    }

    private func run(on adapter: AdapterCustodian.Description) {
        self.adapter = adapter
        // Stopped before it had begun: `stop` has nothing to withdraw, but this would publish.
        guard life == .running else { return }
        manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionAdapterKey: adapter.address],
            session: session)
    }

    private func end(_ error: DittojayError?) {
        guard life != .ended else { return }
        life = .ended
        server?.stop()
        server = nil
        manager = nil
        onEnd?(error)
        onEnd = nil
    }

    private func withdraw() {
        if let manager, manager.state == .poweredOn { manager.removeAllServices() }
        for service in services.all { service.withdraw() }
        unanswered = [:]
    }

    // MARK: Services

    private func publishAll() {
        for service in services.all where service.isWanted { publish(service) }
    }

    func publish(_ service: SimulatedService) {
        guard let manager else { return }
        manager.add(service.makeRegistration(manager: manager))
    }

    /// Advertises the services that are published, as soon as all that are wanted are.
    func advertise() {
        guard let manager, manager.state == .poweredOn, life == .running else { return }
        guard services.all.allSatisfy({ !$0.isWanted || $0.publication == .done || $0.publication == .failed }) else {
            return
        }
        var uuids: [String] = []
        for service in services.all where service.isPublished && service.profile.isAdvertised {
            // Several services may have the same UUID.
            if !uuids.contains(service.profile.uuid) { uuids.append(service.profile.uuid) }
        }
        guard uuids != advertisedServices else { return }
        if advertisedServices != nil { manager.stopAdvertising() }
        advertisedServices = uuids
        var data: [String: Any] = [
            CBAdvertisementDataLocalNameKey: localName,
            CBAdvertisementDataServiceUUIDsKey: uuids.map { CBUUID(string: $0) },
        ]
        if let appearance = profile.advertisement.appearance {
            data[AdvertisementPlan.appearanceKey] = NSNumber(value: appearance)
        }
        if let manufacturer = profile.advertisement.manufacturer {
            let company = [UInt8(truncatingIfNeeded: manufacturer.company), UInt8(manufacturer.company >> 8)]
            data[CBAdvertisementDataManufacturerDataKey] = Data(company + manufacturer.data)
        }
        if !profile.advertisement.serviceData.isEmpty {
            data[CBAdvertisementDataServiceDataKey] = [CBUUID: Data](
                profile.advertisement.serviceData.map { (CBUUID(string: $0.key), Data($0.value)) }
            ) { first, _ in first }
        }
        manager.startAdvertising(data)
    }

    /// The peripheral advertises, or has failed to.
    func becameReady() {
        guard life == .running else { return }
        if !hasBeenReady {
            hasBeenReady = true
            if !profile.scenario.isEmpty {
                play(profile.scenario) { [weak self] in self?.tell(.scenario) { $0.message = "ended" } }
            }
        }
        let ready = onReady
        onReady = nil
        ready?()
    }

    // MARK: State

    func stateChanged(_ state: CBManagerState) {
        guard life == .running else { return }
        advertisedServices = nil
        switch state {
        case .poweredOn:
            if hasBeenOn { tell(.state) { $0.message = "Bluetooth is on" } }
            hasBeenOn = true
            publishAll()
            // Nothing to wait for if no service is published at the start.
            advertise()
        case .unsupported where !hasBeenOn:
            return end(.adapterUnusable("the Bluetooth adapter \(adapter?.name ?? "") cannot be a peripheral"))
        case .unauthorized where !hasBeenOn:
            return end(.bluetoothUnavailable("this user may not use Bluetooth (the system bus refuses it)"))
        case .poweredOff, .resetting, .unknown, .unsupported, .unauthorized:
            burst?.cancel("Bluetooth went off")
            for service in services.all { service.withdraw() }
            unanswered = [:]
            for (name, replies) in publicationReplies {
                for reply in replies { reply(ControlReply(error: "Bluetooth went off before \(name) was published")) }
            }
            publicationReplies = [:]
            tell(.state) { $0.message = state.explanation }
        }
    }

    private func handle(_ event: AdapterCustodian.Event) {
        switch event {
        case .connected(let address):
            let central = centrals[address] ?? PeripheralEvent.Central(address: address)
            centrals[address] = central
            tell(.connected) { $0.central = central }
            occurred(.connected)
        case .disconnected(let address):
            let central = centrals.removeValue(forKey: address) ?? PeripheralEvent.Central(address: address)
            unanswered[address] = nil
            tell(.disconnected) { $0.central = central }
            occurred(.disconnected)
        case .heard(let address, let mtu):
            centrals[address] = PeripheralEvent.Central(address: address, mtu: mtu)
        case .absent(let address):
            unanswered[address] = nil
        case .pairingFailed(let address, let reason):
            tell(.pairingFailed) { ($0.central, $0.message) = (.init(address: address), reason) }
        case .failed(let message):
            tell(.failed) { $0.message = message }
        }
    }

    /// Who has sent a request. How much fits into a notification for it is noted.
    ///
    /// Whether a central is connected only the custodian knows: the request may come from one that no longer is.
    func note(_ central: CBCentral) -> PeripheralEvent.Central {
        let known = known(central)
        if centrals[known.address] != nil {
            centrals[known.address] = known
        } else if let custodian {
            let mtu = central.attMTU
            MainLoop.shared.async { custodian.heard(known.address, mtu: mtu) }
        }
        return known
    }

    func known(_ central: CBCentral) -> PeripheralEvent.Central {
        PeripheralEvent.Central(
            address: central.bluetoothAddress ?? central.identifier.uuidString, mtu: central.attMTU)
    }

    /// Reports an event, if somebody wants to know.
    func tell(_ kind: PeripheralEvent.Kind, _ fill: (inout PeripheralEvent) -> Void) {
        guard onEvent != nil || server?.hasFollowers == true else { return }
        var event = PeripheralEvent(kind)
        fill(&event)
        onEvent?(event)
        server?.send(event)
    }

    /// How the peripheral stands.
    public var status: PeripheralStatus {
        dispatchPrecondition(condition: .onQueue(queue))
        let characteristics = services.characteristics
        let heart = characteristics.lazy.compactMap(\.heart).first?.simulation
        return PeripheralStatus(
            pid: Int(getpid()),
            uptime: Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1e9,
            profile: profile.name, name: localName,
            adapter: adapter?.name ?? "", address: adapter?.address ?? "",
            state: (manager?.state ?? .unknown).name, isAdvertising: manager?.isAdvertising ?? false,
            seed: options.seed,
            services: services.all.map {
                .init(name: $0.profile.name, uuid: $0.profile.uuid, isPublished: $0.isPublished)
            },
            faults: characteristics.flatMap { characteristic in
                characteristic.faults.faults.map {
                    .init(characteristic: "\(characteristic.path)", fault: "\($0)")
                }
            },
            centrals: centrals.values.sorted { $0.address < $1.address }.map { central in
                let subscriptions = characteristics.filter { characteristic in
                    characteristic.subscribers.contains { $0.bluetoothAddress == central.address }
                }
                return .init(
                    address: central.address, mtu: central.mtu, subscriptions: subscriptions.map(\.profile.name))
            },
            heartRate: heart.map {
                .init(rate: $0.currentRate, hasContact: $0.hasContact, energyExpended: Int($0.energyExpended))
            },
            notifications: characteristics.reduce(0) { $0 + $1.notificationCount }, reads: reads, writes: writes,
            droppedLines: droppedLines?())
    }
}

extension CBManagerState {
    /// As in Apple's API. Not by interpolation: an app may have given the type a description of its own.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        }
    }

    /// What the state means for somebody who runs a peripheral.
    fileprivate var explanation: String {
        switch self {
        case .poweredOn: "Bluetooth is on"
        case .poweredOff: "Bluetooth is off; waiting for it to be switched on"
        case .resetting: "bluetoothd is gone; waiting for it to come back"
        case .unknown: "the state of Bluetooth is not known; waiting"
        case .unsupported: "the Bluetooth adapter is gone; waiting for it to come back"
        case .unauthorized: "the system bus refuses the access to Bluetooth; waiting"
        }
    }
}
