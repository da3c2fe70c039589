import DBus
import Foundation
import MainLoop

/// What happens in bluetoothd's object tree.
package enum BlueZEvent {
    case stateChanged(BlueZSession.State)
    case adapterAdded(Adapter)
    case adapterChanged(Adapter, PropertyChanges)
    case adapterRemoved(Adapter)
    case deviceAdded(Device)
    case deviceChanged(Device, PropertyChanges)
    case deviceRemoved(Device)
    case serviceAdded(RemoteService)
    case serviceRemoved(RemoteService)
    /// A service that was known before has another characteristic, or one of its characteristics another descriptor.
    case attributeAdded(RemoteService)
    /// A device pairs, and this process's agent was asked.
    case pairing(Device, PairingAgent.Answer)
}

/// A connection to bluetoothd: a live mirror of its object tree (`org.freedesktop.DBus.ObjectManager` at `/`).
///
/// It survives bluetoothd and the bus: when either comes back, the tree is built anew, with new objects.
@LoopActor
package final class BlueZSession {
    package nonisolated static let serviceName = "org.bluez"

    package enum State: Hashable, Swift.Sendable {
        /// Nothing is known yet.
        case starting
        /// bluetoothd cannot be reached, for this reason.
        case unavailable(BlueZError)
        /// bluetoothd was there and went away.
        case lost
        /// The tree is complete.
        case available
    }

    /// The session of this process, on the system bus.
    package nonisolated static let shared = BlueZSession { () throws(BusError) in try BusConnection.system() }

    package private(set) var state: State = .starting
    /// All adapters, in the order of their names (hci0, hci1, …).
    package var adapters: [Adapter] { objects.adapters.values.sorted { $0.path.string < $1.path.string } }
    /// The connection to the bus; nil while there is none.
    package private(set) var connection: BusConnection?

    private let connect: @LoopActor () throws(BusError) -> BusConnection
    package nonisolated let timing: Timing
    /// Where programs leave to the next which handles their services had.
    nonisolated let handleFolder: String
    /// The handles of local services that are in use, by adapter. They outlive the adapter's object: bluetoothd may
    /// come back.
    var handles: [ObjectPath: HandleRanges] = [:]
    private var objects = ObjectTree()
    /// The pairing agent that answers for this process.
    package private(set) lazy var sharedAgent = SharedAgent(self)
    private var observers: [(key: Int, handler: @LoopActor (BlueZEvent) -> Void)] = []
    private var nextKey = 0
    private var registrations: [Registration] = []
    private var retry: LoopSource?
    private var generation = 0

    /// A session on another bus. It starts with ``start()``.
    package nonisolated init(connect: @escaping @LoopActor () throws(BusError) -> BusConnection) {
        self.connect = connect
        timing = Timing()
        handleFolder = NextHandle.folder
    }

    /// A session with a patience and a memory of its own.
    package nonisolated init(
        timing: Timing, handleFolder: String, connect: @escaping @LoopActor () throws(BusError) -> BusConnection
    ) {
        self.connect = connect
        self.timing = timing
        self.handleFolder = handleFolder
    }

    /// How long to wait for a bluetoothd that is slow, or silent.
    package struct Timing: Swift.Sendable {
        /// Until a bus or a bluetoothd that did not answer is asked again.
        package var retry: Duration = .seconds(1)
        /// Until bluetoothd, once it is there, has found its controllers, or there are none, or the one in use before
        /// will not come back.
        package var settling: Duration = .seconds(2)
        /// Until an advertisement that bluetoothd has not confirmed is registered anew.
        package var advertisement: Duration = .seconds(2)
        /// How far apart the end of a notification socket and the report that its central has disconnected can come, in
        /// either order.
        package var socketEnd: Duration = .milliseconds(500)
        /// How long pairing that a request waits for may take. The Security Manager Protocol gives each step of it 30
        /// s, in which the device may ask its user.
        package var pairing: Duration = .seconds(32)
        /// How long the answer to a request may take once pairing for it is done. A device that answers later is taken
        /// for one that wants a passkey.
        package var answerAfterPairing: Duration = .seconds(15)

        package init() {}
    }

    // MARK: Observing

    /// Starts the session. Does nothing the second time.
    package func start() {
        guard connection == nil, retry == nil else { return }
        open()
    }

    /// Calls `handler` for every event until the registration is cancelled or released.
    package func observe(_ handler: @escaping @LoopActor (BlueZEvent) -> Void) -> Registration {
        nextKey += 1
        let key = nextKey
        observers.append((key, handler))
        return Registration { [weak self] in self?.observers.removeAll { $0.key == key } }
    }

    func send(_ event: BlueZEvent) {
        for observer in observers { observer.handler(event) }
    }

    /// Waits until ``state`` is known, at most for `timeout`.
    ///
    /// - Throws: ``BlueZError`` when bluetoothd cannot be reached.
    package func waitUntilAvailable(timeout: Duration = .seconds(10)) async throws {
        start()
        if state == .starting {
            var observation: Registration?
            var timer: LoopSource?
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let once = OnceContinuation(continuation)
                observation = observe { event in
                    if case .stateChanged = event { once.resume() }
                }
                timer = .timer(after: timeout) { once.resume() }
            }
            observation?.cancel()
            timer?.cancel()
        }
        switch state {
        case .available: return
        case .unavailable(let error): throw error
        case .starting, .lost: throw BlueZError.notRunning
        }
    }

    // MARK: The bus

    /// The connection for a call of `object`.
    func connection(for object: RemoteObject) throws(BlueZError) -> BusConnection {
        guard let connection, connection.isConnected else { throw .notRunning }
        guard object.isValid else { throw .gone(object.path.string) }
        return connection
    }

    private func open() {
        retry = nil
        do throws(BusError) {
            let connection = try connect()
            self.connection = connection
            connection.onDisconnect { [weak self] in self?.busLost() }.keep()
            subscribe(connection)
        } catch {
            setState(.unavailable(BlueZError.unreachable(error)))
            retryLater()
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
        let name = Self.serviceName
        // Not characteristics: their values come by the thousand, and wake up every program that asked for them.
        // ``watch(_:)`` asks for those of one.
        let properties = [Adapter.interface, Device.interface, RemoteService.interface].map { interface in
            connection.onSignal(Self.propertiesRule(path: nil, interface: interface)) { [weak self] in
                self?.propertiesChanged($0)
            }
        }
        registrations =
            properties + [
                connection.onSignal(MatchRule(sender: name, interface: "org.freedesktop.DBus.ObjectManager")) {
                    [weak self] in self?.treeChanged($0)
                },
                connection.onSignal(MatchRule(sender: name, interface: Device.interface, member: "Disconnected")) {
                    [weak self] in self?.deviceDisconnected($0)
                },
                connection.watchOwner(of: name) { [weak self] owner in self?.ownerChanged(owner) },
            ]
    }

    private static func propertiesRule(path: ObjectPath?, interface: String) -> MatchRule {
        MatchRule(
            sender: serviceName, path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            firstArgument: interface)
    }

    /// Follows the changes of a characteristic, its values among them, until the registrations are released.
    func watch(_ characteristic: RemoteCharacteristic) -> [Registration] {
        guard let connection, connection.isConnected else { return [] }
        let (path, interface) = (characteristic.path, RemoteCharacteristic.interface)
        return [
            connection.onBytes(of: "Value", interface: interface, at: path, from: Self.serviceName) {
                [weak characteristic] value in characteristic?.onValue?(value)
            },
            connection.onSignal(Self.propertiesRule(path: path, interface: interface)) { [weak self] in
                self?.propertiesChanged($0)
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
        let call = MethodCall(
            destination: Self.serviceName, path: .root, interface: "org.freedesktop.DBus.ObjectManager",
            method: "GetManagedObjects")
        connection?.call(call) { [weak self] result in
            guard let self, generation == self.generation else { return }
            do {
                let tree: [ObjectPath: [String: [String: BusValue]]] = try result.get().first()
                // Parents first.
                for (path, interfaces) in tree.sorted(by: { $0.key.string < $1.key.string }) {
                    add(path, interfaces)
                }
                setState(.available)
            } catch {
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
        send(.stateChanged(newState))
    }

    // MARK: The tree

    private func treeChanged(_ signal: BusSignal) {
        guard signal.arguments.count == 2, let path = ObjectPath(busValue: signal.arguments[0]) else { return }
        switch signal.member {
        case "InterfacesAdded":
            guard let interfaces = [String: [String: BusValue]](busValue: signal.arguments[1]) else { return }
            add(path, interfaces)
        case "InterfacesRemoved":
            guard let interfaces = [String](busValue: signal.arguments[1]) else { return }
            remove(path, interfaces: interfaces)
        default: break
        }
    }

    /// Newer releases (5.87, not 5.82) say why, before they say that the device is no longer connected.
    private func deviceDisconnected(_ signal: BusSignal) {
        guard let reason = signal.arguments.first.flatMap(String.init(busValue:)) else { return }
        objects.devices[signal.path]?.disconnectionReason = reason
    }

    private func propertiesChanged(_ signal: BusSignal) {
        guard signal.arguments.count == 3, case .string(let interface) = signal.arguments[0],
            let object = objects.find(signal.path, interface),
            let changed = [String: BusValue](busValue: signal.arguments[1]),
            let invalidated = [String](busValue: signal.arguments[2])
        else { return }
        apply(PropertyChanges(changed: changed, invalidated: invalidated), to: object)
    }

    /// Notes new values, from wherever they are known, and tells the observers.
    func apply(_ changes: PropertyChanges, to object: RemoteObject) {
        let changes = object.completed(changes)
        object.update(changes)
        switch object {
        case let adapter as Adapter: send(.adapterChanged(adapter, changes))
        case let device as Device: send(.deviceChanged(device, changes))
        default: break
        }
    }

    private func add(_ path: ObjectPath, _ interfaces: [String: [String: BusValue]]) {
        for (interface, properties) in interfaces {
            if let known = objects.find(path, interface) {
                known.update(PropertyChanges(changed: properties, invalidated: []))
                continue
            }
            switch interface {
            case Adapter.interface:
                let adapter = Adapter(path: path, properties: properties, session: self)
                adapter.offersGattManager = interfaces[GattManager.interface] != nil
                adapter.offersAdvertising = interfaces[AdvertisingManager.interface] != nil
                objects.adapters[path] = adapter
                send(.adapterAdded(adapter))
            case GattManager.interface, AdvertisingManager.interface:
                guard let adapter = objects.adapters[path] else { continue }
                if interface == GattManager.interface { adapter.offersGattManager = true }
                if interface == AdvertisingManager.interface { adapter.offersAdvertising = true }
                send(.adapterChanged(adapter, PropertyChanges(changed: [:], invalidated: [])))
            case Device.interface:
                guard let parent = path.parent, let adapter = objects.adapters[parent] else { continue }
                let device = Device(path: path, properties: properties, adapter: adapter, session: self)
                objects.devices[path] = device
                adapter.devicesByPath[path] = device
                send(.deviceAdded(device))
            case RemoteService.interface:
                guard let parent = path.parent, let device = objects.devices[parent] else { continue }
                let service = RemoteService(path: path, properties: properties, device: device, session: self)
                objects.services[path] = service
                device.servicesByPath[path] = service
                send(.serviceAdded(service))
            case RemoteCharacteristic.interface:
                guard let parent = path.parent, let service = objects.services[parent] else { continue }
                let characteristic = RemoteCharacteristic(
                    path: path, properties: properties, service: service, session: self)
                objects.characteristics[path] = characteristic
                service.characteristicsByPath[path] = characteristic
                send(.attributeAdded(service))
            case RemoteDescriptor.interface:
                guard let parent = path.parent, let characteristic = objects.characteristics[parent] else { continue }
                let descriptor = RemoteDescriptor(
                    path: path, properties: properties, characteristic: characteristic, session: self)
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
        if goes(RemoteDescriptor.interface), let descriptor = objects.descriptors.removeValue(forKey: path) {
            descriptor.characteristic?.descriptorsByPath[path] = nil
            descriptor.invalidate()
        }
        if goes(RemoteCharacteristic.interface), let characteristic = objects.characteristics.removeValue(forKey: path)
        {
            characteristic.service?.characteristicsByPath[path] = nil
            characteristic.invalidate()
        }
        if goes(RemoteService.interface), let service = objects.services.removeValue(forKey: path) {
            service.device?.servicesByPath[path] = nil
            service.invalidate()
            send(.serviceRemoved(service))
        }
        if goes(Device.interface), let device = objects.devices.removeValue(forKey: path) {
            device.adapter?.devicesByPath[path] = nil
            device.invalidate()
            send(.deviceRemoved(device))
        }
        if goes(Adapter.interface), let adapter = objects.adapters.removeValue(forKey: path) {
            adapter.invalidate()
            send(.adapterRemoved(adapter))
        } else if let adapter = objects.adapters[path] {
            if goes(GattManager.interface) { adapter.offersGattManager = false }
            if goes(AdvertisingManager.interface) { adapter.offersAdvertising = false }
        }
    }

    /// The device at `path`, such as the `device` option of a server's method call names it.
    package func device(at path: ObjectPath) -> Device? { objects.devices[path] }

    package func service(at path: ObjectPath) -> RemoteService? { objects.services[path] }
    package func characteristic(at path: ObjectPath) -> RemoteCharacteristic? { objects.characteristics[path] }
    package func descriptor(at path: ObjectPath) -> RemoteDescriptor? { objects.descriptors[path] }

    /// Runs `work` once bluetoothd has reported everything that it had decided to report until now.
    ///
    /// It sends its news in bursts when it is idle. Before each answer of its own code, it sends what is pending
    /// (`g_dbus_send_message` in gdbus/object.c). A Ping would not do: libdbus answers that one by itself, ahead of
    /// pending news.
    package func afterBurst(_ work: @escaping @Sendable @LoopActor () -> Void) {
        guard let connection else { return MainLoop.shared.async(work) }
        let question = MethodCall(
            destination: Self.serviceName, path: PairingAgent.managerPath,
            interface: "org.freedesktop.DBus.Properties", method: "GetAll",
            arguments: [.string(PairingAgent.managerInterface)])
        // An error is an answer, too.
        connection.call(question) { _ in work() }
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
        let call = MethodCall(
            destination: Self.serviceName, path: path, interface: "org.freedesktop.DBus.Properties", method: "Get",
            arguments: [.string(Device.interface), .string("Connected")])
        connection.call(call) { [weak self] reply in
            let answer = Result<Bool, any Error> {
                do {
                    return Bool(busValue: try reply.get().first()) ?? false
                } catch let error as BusError {
                    throw BlueZError(error)
                }
            }
            if let self, case .success(true) = answer, let device = device(at: path), !device.isConnected {
                apply(PropertyChanges(changed: ["Connected": .boolean(true)], invalidated: []), to: device)
            }
            completion(answer)
        }
    }

    /// The adapter with this name (`hci0`) or address (any letter case).
    package func adapter(named name: String) -> Adapter? {
        adapters.first { $0.name == name || $0.address.caseInsensitiveCompare(name) == .orderedSame }
    }
}

/// The mirrored objects by path.
@LoopActor
private struct ObjectTree {
    var adapters: [ObjectPath: Adapter] = [:]
    var devices: [ObjectPath: Device] = [:]
    var services: [ObjectPath: RemoteService] = [:]
    var characteristics: [ObjectPath: RemoteCharacteristic] = [:]
    var descriptors: [ObjectPath: RemoteDescriptor] = [:]

    nonisolated init() {}

    func find(_ path: ObjectPath, _ interface: String) -> RemoteObject? {
        switch interface {
        // The first, because values of characteristics come by the thousand.
        case RemoteCharacteristic.interface: characteristics[path]
        case Device.interface: devices[path]
        case RemoteService.interface: services[path]
        case RemoteDescriptor.interface: descriptors[path]
        case Adapter.interface: adapters[path]
        default: nil
        }
    }

    var allPathsChildrenFirst: [ObjectPath] {
        let levels: [[ObjectPath]] = [
            Array(descriptors.keys), Array(characteristics.keys), Array(services.keys), Array(devices.keys),
            Array(adapters.keys),
        ]
        return levels.flatMap { $0.sorted { $0.string < $1.string } }
    }
}

/// Resumes a continuation at the first of several events.
@LoopActor
final class OnceContinuation {
    private var continuation: CheckedContinuation<Void, Never>?

    nonisolated init(_ continuation: CheckedContinuation<Void, Never>) {
        self.continuation = continuation
    }

    func resume() {
        continuation?.resume()
        continuation = nil
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
