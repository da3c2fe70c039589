package import DBus
import Foundation
import Logging
package import MainLoop

/// A connection to bluetoothd: a live mirror of its object tree (`org.freedesktop.DBus.ObjectManager` at `/`).
///
/// It survives bluetoothd and the bus: when either comes back, the tree is rebuilt, with new objects.
@LoopActor
package final class BlueZSession {
    package enum State: Hashable, Swift.Sendable {
        /// Nothing is known yet.
        case starting
        /// bluetoothd cannot be reached, for this reason.
        case unavailable(BlueZError)
        /// bluetoothd was there and has ended.
        case lost
        /// The tree is complete.
        case available
    }

    /// The session of this process, on the system bus.
    package nonisolated static let shared = BlueZSession { () throws(BusError) in try await BusConnection.system() }

    package private(set) var state: State = .starting
    /// All adapters, in the order of their numbers (hci0, hci1, …).
    package var adapters: [Adapter] { objects.orderedAdapters }
    /// The connection to the bus; nil while there is none.
    package private(set) var connection: BusConnection?

    private let connect: @LoopActor () async throws(BusError) -> BusConnection
    package nonisolated let timing: Timing
    /// The folder in which a program records the handles of its services for the next one.
    nonisolated let handleFolder: String
    /// The kernel's answer about the link of a controller to a device; nil if it cannot be asked.
    package var kernelLink: @LoopActor (_ controller: UInt16, _ address: String) -> KernelLinks.Link? = KernelLinks.link
    /// Has the kernel end the link of a controller to a device at once, as far as this program may.
    package var endLink: @LoopActor (_ controller: UInt16, _ peer: [UInt8]) async throws -> Void =
        ManagementSocket.endLink
    private let disconnections = DisconnectionMonitor()
    /// The links that have ended since this was called last, as far as the kernel reports that to this program.
    package lazy var endedLinks: @LoopActor () -> [EndedLink] = disconnections.read
    package var l2cap = L2CAPAccess()
    /// The handles of local services that are in use, by adapter. They outlive the adapter's object: bluetoothd may
    /// come back.
    var handles: [ObjectPath: HandleRanges] = [:]
    nonisolated let callGate = CallGate()
    package nonisolated let commandGate = CommandGate()
    private var objects = ObjectTree()
    /// The pairing agent that answers for this process.
    package private(set) lazy var sharedAgent = SharedPairingAgent(self)
    private var observers: [(key: Int, handler: @LoopActor (BlueZEvent) -> Void)] = []
    /// What is to be done once they know of an event.
    private var afterwards: [@LoopActor () -> Void] = []
    private var nextKey = 0
    private var registrations: [Registration] = []
    private var retry: LoopSource?
    private var isConnecting = false
    private var opening = RetryLog(logger, "connect to the system bus")
    private var loading = RetryLog(logger, "read bluetoothd's objects")
    private var generation = 0

    /// A session on another bus. It starts with ``start()``.
    package nonisolated init(connect: @escaping @LoopActor () async throws(BusError) -> BusConnection) {
        self.connect = connect
        timing = Timing()
        handleFolder = HandleCounterFile.folder
    }

    /// A session with times and a folder of its own.
    package nonisolated init(
        timing: Timing, handleFolder: String, connect: @escaping @LoopActor () async throws(BusError) -> BusConnection
    ) {
        self.connect = connect
        self.timing = timing
        self.handleFolder = handleFolder
    }

    /// How long to wait for a bluetoothd that is slow or silent.
    package struct Timing: Swift.Sendable {
        /// Until a bus or a bluetoothd that did not answer is asked again.
        package var retry: Duration = .seconds(1)
        /// Until bluetoothd, once it is there, has found its controllers, or there are none, or the one in use before
        /// will not come back.
        package var settling: Duration = .seconds(2)
        /// How long a bluetoothd that has just started may take to report a controller that can be used.
        package var controllers: Duration = .seconds(1)
        /// Until an advertisement that bluetoothd has not confirmed is registered again.
        package var advertisement: Duration = .seconds(2)
        /// Until the turn of an advertisement is over with a controller that sends one at a time. It has two seconds
        /// (kernel 6.12, `HCI_DEFAULT_ADV_DURATION`).
        package var advertisingTurn: Duration = .milliseconds(2500)
        /// How long after the kernel has a link bluetoothd may report it.
        package var linkReport: Duration = .seconds(1)
        /// How long the link to a paired device may be up without being encrypted.
        package var encryption: Duration = .seconds(1)
        /// A paired central that stays longer than this without using the link has not failed to encrypt it.
        package var failedEncryption: Duration = .seconds(5)
        /// How long after the end of a link it may be reported that the controller was switched off, which has ended
        /// it.
        package var powerOff: Duration = .milliseconds(250)
        /// How far apart the end of a notification socket and the report that its central has disconnected can come, in
        /// either order.
        package var socketEnd: Duration = .milliseconds(500)
        /// How long pairing that a request waits for may take. The Security Manager Protocol gives each step of it 30
        /// s, in which the device may ask its user.
        package var pairing: Duration = .seconds(32)
        /// How long the answer to a request may take once pairing for it is done. A device that answers later may be
        /// one that wants a passkey.
        package var answerAfterPairing: Duration = .seconds(15)
        /// Until bluetoothd, of which a device has said that it does not know its services as they are now, has looked
        /// for what has changed. A change that it has not reported by then is none that matters.
        package var serviceChange: Duration = .seconds(5)

        package init() {}
    }

    // MARK: Observing

    /// Starts the session. Does nothing the second time.
    package func start() {
        guard connection == nil, retry == nil, !isConnecting else { return }
        disconnections.open()
        open()
    }

    /// Calls `handler` for every event until the registration is cancelled or released.
    package func observe(_ handler: @escaping @LoopActor (BlueZEvent) -> Void) -> Registration {
        nextKey += 1
        let key = nextKey
        observers.append((key, handler))
        return Registration { [weak self] in self?.observers.removeAll { $0.key == key } }
    }

    /// Runs `work` once all observers know of the event that is being reported.
    package func afterObservers(_ work: @escaping @LoopActor () -> Void) {
        afterwards.append(work)
    }

    func send(_ event: BlueZEvent) {
        // An observer may cause another event.
        let outer = afterwards
        afterwards = []
        for observer in observers { observer.handler(event) }
        let inner = afterwards
        afterwards = outer
        for work in inner { work() }
    }

    /// Waits until ``state`` is known, for `timeout` at most.
    ///
    /// - Throws: ``BlueZError`` when bluetoothd cannot be reached.
    package func waitUntilAvailable(timeout: Duration = .seconds(10)) async throws {
        start()
        if state == .starting {
            let change = FirstOutcome<Void>()
            let observation = observe { event in
                if case .stateChanged = event { change.report() }
            }
            await change.wait(within: timeout)
            observation.cancel()
        }
        switch state {
        case .available: return
        case .unavailable(let error): throw error
        case .starting, .lost: throw BlueZError.notRunning
        }
    }

    /// Chooses among the controllers: makes an attempt at once, and again after each event, until one succeeds, for as
    /// long as ``Timing/controllers``.
    ///
    /// - Throws: ``BlueZError`` when bluetoothd cannot be reached; what the last attempt has thrown.
    package func choose<Choice>(_ attempt: @LoopActor () async throws -> Choice) async throws -> Choice {
        try await waitUntilAvailable()
        let deadline = ContinuousClock.now + timing.controllers
        while true {
            let event = FirstOutcome<Void>()
            let observation = observe { _ in event.report() }
            defer { observation.cancel() }
            do {
                return try await attempt()
            } catch {
                guard .now < deadline else { throw error }
                await event.wait(within: deadline - .now)
            }
        }
    }

    // MARK: The bus

    private func open() {
        retry = nil
        isConnecting = true
        Task {
            defer { isConnecting = false }
            do throws(BusError) {
                let connection = try await connect()
                self.connection = connection
                opening.ended()
                connection.onDisconnect { [weak self] in self?.busLost() }.keep()
                subscribe(connection)
            } catch {
                opening.failed("\(error)")
                setState(.unavailable(BlueZError.unreachable(error)))
                retryLater()
            }
        }
    }

    private func busLost() {
        registrations = []
        connection = nil
        tearDown(.lost)
        retryLater()
    }

    private func retryLater() {
        retry = .timer(after: timing.retry) { [weak self] in self?.open() }
    }

    private func subscribe(_ connection: BusConnection) {
        let name = Bluetoothd.busName
        // Not characteristics: their values come by the thousand, and wake up every program that asked for them.
        // ``watch(_:)`` asks for those of one.
        registrations = [
            follow(Adapter1.self, on: connection) { $0.adapters[$1] },
            follow(Device1.self, on: connection) { $0.devices[$1] },
            follow(GattService1.self, on: connection) { $0.services[$1] },
            connection.onSignal(.propertiesChanged(of: LEAdvertisingManager1.self, from: name)) { [weak self] signal in
                if let self, let adapter = objects.adapters[signal.path] { send(.advertisingChanged(adapter)) }
            },
            connection.onSignal(.managedObjects(of: name)) { [weak self] in self?.treeChanged($0) },
            connection.onSignal(.signal(Device1.disconnected, from: name)) { [weak self] in
                self?.deviceDisconnected($0)
            },
            connection.watchOwner(of: name) { [weak self] owner in self?.ownerChanged(owner) },
        ]
    }

    /// Follows the changes of all objects that have an interface.
    private func follow<Interface: BusInterface>(
        _ interface: Interface.Type, on connection: BusConnection,
        find: @escaping @LoopActor (ObjectTree, ObjectPath) -> RemoteObject<Interface>?
    ) -> Registration {
        connection.onSignal(.propertiesChanged(of: interface, from: Bluetoothd.busName)) { [weak self] signal in
            if let self { find(objects, signal.path)?.propertiesChanged(signal) }
        }
    }

    /// Follows the changes of a characteristic, its values among them, until the registrations are released.
    func watch(_ characteristic: RemoteCharacteristic) -> [Registration] {
        guard let connection, connection.isConnected else { return [] }
        let path = characteristic.path
        return [
            connection.onBytes(of: GattCharacteristic1.value, at: path, from: Bluetoothd.busName) {
                [weak characteristic] value in characteristic?.onValue?(value)
            },
            connection.onSignal(.propertiesChanged(of: GattCharacteristic1.self, at: path, from: Bluetoothd.busName)) {
                [weak self] signal in self?.objects.characteristics[path]?.propertiesChanged(signal)
            },
        ]
    }

    private func ownerChanged(_ owner: String?) {
        generation += 1
        guard owner != nil else {
            return tearDown(state == .starting ? .unavailable(.notRunning) : .lost)
        }
        if state == .available { tearDown(.lost) }
        load(generation)
    }

    private func load(_ generation: Int) {
        connection?.call(.getManagedObjects(of: Bluetoothd.busName)) { [weak self] result in
            guard let self, generation == self.generation else { return }
            do {
                // Parents first.
                for object in try result.get().managedObjects().sorted(by: { $0.path.string < $1.path.string }) {
                    add(object)
                }
                loading.ended()
                setState(.available)
            } catch {
                loading.failed("\(error)")
                setState(.unavailable((error as? BusError).map(BlueZError.init) ?? .notRunning))
                retry = .timer(after: timing.retry) { [weak self] in
                    self?.retry = nil
                    self?.load(generation)
                }
            }
        }
    }

    private func tearDown(_ newState: State) {
        for path in objects.allPathsChildrenFirst { remove(path, interfaces: nil) }
        setState(newState)
    }

    private func setState(_ newState: State) {
        guard state != newState else { return }
        state = newState
        logger.debug("bluetoothd: \(newState)")
        send(.stateChanged(newState))
    }

    // MARK: The tree

    private func treeChanged(_ signal: BusSignal) {
        switch signal.managedObjectChange {
        case .added(let object): add(object)
        case .removed(let path, let interfaces): remove(path, interfaces: interfaces)
        case nil: break
        }
    }

    private func add(_ object: ManagedObject) {
        let path = object.path
        for (interface, properties) in object.interfaces {
            if let known = objects.find(path, interface) {
                known.appearedAgain(properties)
                continue
            }
            switch interface {
            case Adapter1.name:
                let adapter = Adapter(path: path, properties: PropertyValues(properties), session: self)
                adapter.offersGattManager = object.has(GattManager1.self)
                adapter.offersAdvertising = object.has(LEAdvertisingManager1.self)
                objects.adapters[path] = adapter
                send(.adapterAdded(adapter))
            case GattManager1.name, LEAdvertisingManager1.name:
                guard let adapter = objects.adapters[path] else { continue }
                if interface == GattManager1.name { adapter.offersGattManager = true }
                if interface == LEAdvertisingManager1.name {
                    adapter.offersAdvertising = true
                    let phys = PropertyValues<LEAdvertisingManager1>(properties)[
                        LEAdvertisingManager1.supportedSecondaryChannels]
                    adapter.isExtended = phys?.isEmpty == false
                }
                send(.adapterChanged(adapter, PropertyChanges()))
            case Device1.name:
                guard let parent = path.parent, let adapter = objects.adapters[parent] else { continue }
                let device = Device(path: path, properties: PropertyValues(properties), adapter: adapter, session: self)
                objects.devices[path] = device
                adapter.devicesByPath[path] = device
                send(.deviceAdded(device))
            case GattService1.name:
                guard let parent = path.parent, let device = objects.devices[parent] else { continue }
                let service = RemoteService(
                    path: path, properties: PropertyValues(properties), device: device, session: self)
                objects.services[path] = service
                device.servicesByPath[path] = service
                send(.serviceAdded(service))
            case GattCharacteristic1.name:
                guard let parent = path.parent, let service = objects.services[parent] else { continue }
                let characteristic = RemoteCharacteristic(
                    path: path, properties: PropertyValues(properties), service: service, session: self)
                objects.characteristics[path] = characteristic
                service.characteristicsByPath[path] = characteristic
                send(.attributeAdded(service))
            case GattDescriptor1.name:
                guard let parent = path.parent, let characteristic = objects.characteristics[parent] else { continue }
                let descriptor = RemoteDescriptor(
                    path: path, properties: PropertyValues(properties), characteristic: characteristic, session: self)
                objects.descriptors[path] = descriptor
                characteristic.descriptorsByPath[path] = descriptor
                if let service = characteristic.service { send(.attributeAdded(service)) }
            default: break
            }
        }
    }

    /// - Parameter interfaces: nil means all.
    private func remove(_ path: ObjectPath, interfaces: [String]?) {
        func goes(_ interface: String) -> Bool { interfaces?.contains(interface) ?? true }
        if goes(GattDescriptor1.name), let descriptor = objects.descriptors.removeValue(forKey: path) {
            descriptor.characteristic?.descriptorsByPath[path] = nil
            descriptor.invalidate()
        }
        if goes(GattCharacteristic1.name), let characteristic = objects.characteristics.removeValue(forKey: path) {
            characteristic.service?.characteristicsByPath[path] = nil
            characteristic.invalidate()
        }
        if goes(GattService1.name), let service = objects.services.removeValue(forKey: path) {
            service.device?.servicesByPath[path] = nil
            service.invalidate()
            send(.serviceRemoved(service))
        }
        if goes(Device1.name), let device = objects.devices[path] {
            if device.isConnected { noteEndedLinks() }
            objects.devices[path] = nil
            device.adapter?.devicesByPath[path] = nil
            device.invalidate()
            send(.deviceRemoved(device))
        }
        if goes(Adapter1.name), let adapter = objects.adapters.removeValue(forKey: path) {
            adapter.invalidate()
            send(.adapterRemoved(adapter))
        } else if let adapter = objects.adapters[path] {
            if goes(GattManager1.name) { adapter.offersGattManager = false }
            if goes(LEAdvertisingManager1.name) { adapter.offersAdvertising = false }
        }
    }

    /// The device at `path`, such as the `device` option of a server's method call names it.
    package func device(at path: ObjectPath) -> Device? { objects.devices[path] }

    package func service(at path: ObjectPath) -> RemoteService? { objects.services[path] }
    package func characteristic(at path: ObjectPath) -> RemoteCharacteristic? { objects.characteristics[path] }
    package func descriptor(at path: ObjectPath) -> RemoteDescriptor? { objects.descriptors[path] }

    /// Runs `work` once bluetoothd has reported everything that it had decided to report until now.
    ///
    /// It queues its signals and sends them when it is idle. Before each answer of its own code, it sends the pending
    /// ones (`g_dbus_send_message` in gdbus/object.c). A Ping would not do: libdbus answers that one by itself, ahead
    /// of pending signals.
    package func afterPendingSignals(_ work: @escaping @Sendable @LoopActor () -> Void) {
        guard let connection else { return MainLoop.shared.async(work) }
        // An error is an answer, too.
        connection.call(.getAll(AgentManager1.self, of: Bluetoothd.busName, at: AgentManager1.path)) { _ in work() }
    }

    /// Asks bluetoothd whether the device at `path` is connected, and notes the answer.
    ///
    /// bluetoothd 5.66 does not report that a device is connected when its socket was connected before the kernel's
    /// management interface said so ("is already connected" in its debug log).
    ///
    /// - Parameter completion: called once, later, in order with what bluetoothd reports by itself.
    package func confirmConnection(
        of path: ObjectPath, completion: @escaping @LoopActor (Result<Bool, any Error>) -> Void
    ) {
        guard let connection else { return MainLoop.shared.async { completion(.failure(BlueZError.notRunning)) } }
        connection.call(.get(Device1.connected, of: Bluetoothd.busName, at: path)) { [weak self] reply in
            let answer = Result<Bool, any Error> {
                do {
                    return try reply.get().value(of: Device1.connected)
                } catch let error as BusError {
                    throw BlueZError(error)
                }
            }
            if let self, case .success(true) = answer, let device = device(at: path), !device.isConnected {
                var changes = PropertyChanges<Device1>()
                changes[Device1.connected] = true
                device.apply(changes)
            }
            completion(answer)
        }
    }

    /// The adapter with this name (`hci0`) or address (any letter case).
    package func adapter(named name: String) -> Adapter? {
        adapters.first { $0.isNamed(name) }
    }
}

extension BlueZError {
    /// The bus itself cannot be reached.
    static func unreachable(_ error: BusError) -> BlueZError {
        if case .cannotConnect(let address, let reason) = error {
            return .failed(name: "", message: "cannot reach the system bus at \(address): \(reason)")
        }
        return BlueZError(error)
    }
}
