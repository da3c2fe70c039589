package import DBus
package import MainLoop

/// A bluetoothd of a test's own: the objects of `org.bluez` on a private bus, without a controller or a radio.
///
/// It does what bluetoothd does, as far as the programs under test depend on it, unless a test has scripted it to be
/// late, wrong, silent, or not there: see ``react(to:at:times:with:)``. Every call of it is in ``calls``.
///
/// Names of interfaces and their members are written out here, and not taken from the tables of `BlueZ`: a fake must
/// not share the mistakes of what it tests.
///
/// Programs in a process of their own reach it by the environment variable `DBUS_SYSTEM_BUS_ADDRESS`.
@LoopActor
package final class FakeBluetoothd {
    package static let serviceName = "org.bluez"

    package nonisolated let bus: PrivateBus
    /// Its connection to the bus; another one after ``restart()``.
    package private(set) var connection: BusConnection
    package private(set) var adapters: [FakeAdapter] = []
    package private(set) var agents: FakeAgents!
    /// All that programs have asked of it, in order.
    package private(set) var calls: [FakeCall] = []
    /// Whether it answers `GetManagedObjects` and sends `InterfacesAdded` and `InterfacesRemoved`.
    package private(set) var isRunning = false

    private var slot: Slot?
    var script = Script()
    private var shown: [ObjectPath: FakeObject] = [:]
    private var callWaiters: [@LoopActor (FakeCall) -> Void] = []
    private var clients: [String: Registration] = [:]

    /// Starts one with as many controllers: hci0, hci1, …
    package init(on bus: PrivateBus, adapters count: Int = 1) async throws {
        self.bus = bus
        connection = try bus.connect()
        agents = FakeAgents(self)
        for index in 0..<count { addAdapter(index) }
        DaemonKeeper.current?.keep(self)
        try await begin()
    }

    /// A bus with a bluetoothd on it. Waits for its turn: only a few tests have one at a time.
    package static func start(adapters count: Int = 1) async throws -> FakeBluetoothd {
        let slot = if let keeper = DaemonKeeper.current { await keeper.takeSlot() } else { await Slot.take() }
        let daemon = try await FakeBluetoothd(on: PrivateBus.start(), adapters: count)
        daemon.slot = slot
        return daemon
    }

    package var adapter: FakeAdapter { adapters[0] }
    /// How many services each controller offers.
    package var serviceCounts: [Int] { adapters.map(\.offeredServices.count) }

    // MARK: Life

    /// Ends as a crash would: its name and all its objects are off the bus.
    package func die() {
        guard isRunning else { return }
        isRunning = false
        for adapter in adapters { adapter.forgetEverything() }
        agents.forgetEverything()
        shown = [:]
        clients = [:]
        connection.close()
    }

    /// Starts again after ``die()``: with its controllers, and nothing that programs had registered. Devices are
    /// forgotten unless they are paired.
    package func restart() async throws {
        die()
        connection = try bus.connect()
        try await begin()
    }

    /// Gives the name back and takes no part in the bus any longer, but does not close its connection: a bluetoothd
    /// that ends in order.
    package func leave() async throws {
        try await connection.releaseName(Self.serviceName)
    }

    private func begin() async throws {
        // The bus may not have noticed yet that the connection of the one before is closed.
        while try await connection.hasOwner(Self.serviceName) {}
        isRunning = true
        try connection.export([objectManager], at: .root)
        show(agents)
        for adapter in adapters { adapter.begin() }
        try await connection.requestName(Self.serviceName)
    }

    // MARK: Controllers

    /// Plugs a controller in.
    ///
    /// - Parameter configure: makes it another than an ordinary one before anybody sees it.
    @discardableResult
    package func addAdapter(_ index: Int? = nil, _ configure: @LoopActor (FakeAdapter) -> Void = { _ in })
        -> FakeAdapter
    {
        let index = index ?? (adapters.map(\.index).max() ?? -1) + 1
        let adapter = FakeAdapter(index: index, daemon: self)
        adapters.append(adapter)
        configure(adapter)
        if isRunning { adapter.begin() }
        return adapter
    }

    /// Pulls a controller out.
    package func remove(_ adapter: FakeAdapter) {
        adapters.removeAll { $0 === adapter }
        adapter.forgetEverything()
        hide(adapter)
    }

    // MARK: Script

    /// Does something else than bluetoothd when `method` is called.
    ///
    /// - Parameters:
    ///   - method: a method's name, such as `Connect`; nil for any.
    ///   - path: only of the object with this path.
    ///   - times: for so many calls; nil for all. The reaction that was scripted last comes first.
    package func react(
        to method: String?, at path: ObjectPath? = nil, times: Int? = nil, with reaction: FakeReaction
    ) {
        script.add(Script.Rule(method: method, path: path, left: times, reaction: reaction))
    }

    /// Refuses to set a property, such as `Powered`; this many times, always if nil.
    package func refuse(toSet property: String, times: Int? = nil) {
        script.refusedProperties[property] = times ?? .max
    }

    /// Forgets all that was scripted.
    package func reactOrdinarily() { script = Script() }

    /// Waits until a method has been called.
    ///
    /// - Parameters:
    ///   - count: how often, since the daemon began.
    ///   - limit: how long to wait at most.
    /// - Returns: the last of these calls.
    @discardableResult
    package func call(_ method: String, count: Int = 1, within limit: Duration = .seconds(30)) async throws -> FakeCall
    {
        try await event("\(method), call \(count)", within: limit) { [weak self] found in
            guard let self else { return }
            let known = calls.filter { $0.method == method }
            if known.count >= count { return found(known[count - 1]) }
            var seen = known.count
            callWaiters.append { call in
                guard call.method == method else { return }
                seen += 1
                if seen == count { found(call) }
            }
        }
    }

    /// How often a method has been called.
    package func count(of method: String) -> Int { calls.count { $0.method == method } }

    /// The names of the methods that have been called, in their order.
    package var methods: [String] { calls.map { $0.method } }

    func note(_ call: FakeCall) {
        calls.append(call)
        follow(call.sender)
        for waiter in callWaiters { waiter(call) }
    }

    /// A method of one of its objects, which does what the script says.
    func method(
        _ name: String, of path: ObjectPath, inputs: [ExportedArgument] = [], outputs: [ExportedArgument] = [],
        _ ordinary: @escaping @LoopActor (MethodInvocation) throws -> Void
    ) -> ExportedMethod {
        ExportedMethod(name, inputs: inputs, outputs: outputs) { [weak self] invocation in
            let call = FakeCall(method: name, path: path, invocation: invocation) {
                do {
                    try ordinary(invocation)
                } catch let failure as MethodFailure {
                    invocation.fail(failure)
                } catch {
                    invocation.fail(.bluez("Failed", "\(error)"))
                }
            }
            guard let self else { return }
            note(call)
            script.perform(call)
        }
    }

    /// Forgets what a program has registered when it leaves the bus.
    private func follow(_ client: String) {
        guard clients[client] == nil, isRunning else { return }
        clients[client] = connection.watchOwner(of: client) { [weak self] owner in
            guard let self, owner == nil else { return }
            clients[client] = nil
            agents.forget(client)
            for adapter in adapters { adapter.forget(client) }
        }
    }

    // MARK: Objects

    private var objectManager: ExportedInterface {
        ExportedInterface(
            "org.freedesktop.DBus.ObjectManager",
            methods: [
                method(
                    "GetManagedObjects", of: .root,
                    outputs: [ExportedArgument("objects", [ObjectPath: [String: [String: BusValue]]].self)]
                ) { [weak self] invocation in
                    let tree = self?.shown.mapValues(\.interfaceValues) ?? [:]
                    invocation.reply([tree.busValue])
                }
            ])
    }

    func show(_ object: FakeObject) {
        guard isRunning, shown[object.path] == nil else { return }
        shown[object.path] = object
        try? connection.export(object.interfaces, at: object.path)
        try? connection.emit(
            "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", from: .root,
            arguments: [object.path.busValue, object.interfaceValues.busValue])
    }

    func hide(_ object: FakeObject) {
        guard shown[object.path] === object else { return }
        shown[object.path] = nil
        connection.unexport(object.path)
        try? connection.emit(
            "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", from: .root,
            arguments: [object.path.busValue, object.interfaceValues.keys.sorted().busValue])
    }

    func isShown(_ object: FakeObject) -> Bool { shown[object.path] === object }
}

/// A call of the daemon.
@LoopActor
package struct FakeCall {
    package let method: String
    package let path: ObjectPath
    package let invocation: MethodInvocation
    /// Does what bluetoothd does.
    package let resume: @LoopActor () -> Void

    package var sender: String { invocation.sender }
}
