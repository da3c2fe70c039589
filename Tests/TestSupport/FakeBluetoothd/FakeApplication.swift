package import DBus
package import Foundation
package import MainLoop

/// A GATT application that a program has registered with the fake bluetoothd, and what remote centrals do with it.
@LoopActor
package final class FakeApplication {
    package let client: String
    package let root: ObjectPath
    package let services: [Attribute]
    package let characteristics: [FakeLocalCharacteristic]
    package let descriptors: [Attribute]
    private unowned let adapter: FakeAdapter

    /// A service or a descriptor of the program.
    package struct Attribute: Sendable {
        package let path: ObjectPath
        package let uuid: String
        /// Of a service.
        package let isPrimary: Bool
        /// The handle that the program wants; nil if it leaves that to bluetoothd.
        package let handle: UInt16?
        /// Of a service.
        package let includes: [ObjectPath]
    }

    private init(
        _ root: ObjectPath, _ client: String, _ tree: [ObjectPath: [String: [String: BusValue]]],
        on adapter: FakeAdapter
    ) {
        self.root = root
        self.client = client
        self.adapter = adapter
        let ordered = tree.sorted { $0.key.string < $1.key.string }
        let attributes = { (interface: String) in
            ordered.compactMap { path, interfaces in
                interfaces[interface].map { values in
                    Attribute(
                        path: path, uuid: values["UUID"].flatMap(String.init(busValue:)) ?? "",
                        isPrimary: values["Primary"].flatMap(Bool.init(busValue:)) ?? false,
                        handle: values["Handle"].flatMap(UInt16.init(busValue:)),
                        includes: values["Includes"].flatMap([ObjectPath].init(busValue:)) ?? [])
                }
            }
        }
        services = attributes("org.bluez.GattService1")
        descriptors = attributes("org.bluez.GattDescriptor1")
        characteristics = ordered.compactMap { path, interfaces in
            interfaces["org.bluez.GattCharacteristic1"].map { values in
                FakeLocalCharacteristic(path, values, of: client, on: adapter.daemon)
            }
        }
    }

    /// Asks the program for what it offers, as bluetoothd does.
    static func load(
        _ root: ObjectPath, of client: String, on adapter: FakeAdapter,
        _ completion: @escaping @LoopActor (FakeApplication?) -> Void
    ) {
        let call = MethodCall(
            destination: client, path: root, interface: "org.freedesktop.DBus.ObjectManager",
            method: "GetManagedObjects")
        adapter.daemon.connection.call(call) { [weak adapter] result in
            guard let adapter, let reply = try? result.get(),
                let tree: [ObjectPath: [String: [String: BusValue]]] = try? reply.first(), !tree.isEmpty
            else { return completion(nil) }
            completion(FakeApplication(root, client, tree, on: adapter))
        }
    }

    package func characteristic(_ uuid: String) -> FakeLocalCharacteristic? {
        characteristics.first { FakeService.fullUUID($0.uuid) == FakeService.fullUUID(uuid) }
    }

    /// A central reads a descriptor.
    package func read(descriptor uuid: String, offset: UInt16 = 0) async throws -> Data {
        guard let path = descriptors.first(where: { FakeService.fullUUID($0.uuid) == FakeService.fullUUID(uuid) })?.path
        else { throw Missing() }
        return try await adapter.daemon.connection.call(
            MethodCall(
                destination: client, path: path, interface: "org.bluez.GattDescriptor1", method: "ReadValue",
                arguments: [["offset": BusValue.uint16(offset)].busValue])
        ).first()
    }

    func end() {
        for characteristic in characteristics { characteristic.close() }
    }
}

/// A characteristic of a program, as remote centrals use it through bluetoothd.
@LoopActor
package final class FakeLocalCharacteristic {
    package let path: ObjectPath
    package let uuid: String
    package let flags: [String]
    /// The notifications that went out to the central, in order.
    package private(set) var notifications: [Data] = [] {
        didSet { lastNotification = .now }
    }
    /// When the last of them came.
    package private(set) var lastNotification: ContinuousClock.Instant?
    /// The centrals that have turned notifications on.
    package private(set) var subscribers: [FakeDevice] = []
    private let client: String
    private let daemon: FakeBluetoothd
    private let offersSocket: Bool
    /// Whether each central has a socket of its own, as with bluetoothd 5.82, and not one for all, as with 5.66.
    private var hasSocketForEach = false
    /// What went to each central, over its socket or as a signal.
    private var received: [ObjectIdentifier: [Data]] = [:]
    private var sockets: [Socket] = []
    private var signals: Registration?

    private struct Socket {
        let central: FakeDevice
        let descriptor: Int32
        var reading: LoopSource?
    }

    init(_ path: ObjectPath, _ values: [String: BusValue], of client: String, on daemon: FakeBluetoothd) {
        self.path = path
        self.client = client
        self.daemon = daemon
        uuid = values["UUID"].flatMap(String.init(busValue:)) ?? ""
        flags = values["Flags"].flatMap([String].init(busValue:)) ?? []
        offersSocket = values["NotifyAcquired"] != nil
    }

    private func options(
        _ central: FakeDevice, offset: Int = 0, mtu: UInt16, _ others: [String: BusValue] = [:]
    ) -> BusValue {
        others.merging([
            "device": .objectPath(central.path), "link": .string("LE"), "mtu": .uint16(mtu),
            "offset": .uint16(UInt16(clamping: offset)),
        ]) { $1 }.busValue
    }

    /// Calls the program, rightly or wrongly.
    @discardableResult
    package func call(_ method: String, _ arguments: [BusValue] = []) async throws -> MethodReply {
        try await daemon.connection.call(
            MethodCall(
                destination: client, path: path, interface: "org.bluez.GattCharacteristic1", method: method,
                arguments: arguments))
    }

    /// A central reads.
    ///
    /// - Throws: `BusError` with the program's refusal.
    package func read(by central: FakeDevice, offset: Int = 0, mtu: UInt16 = 517) async throws -> Data {
        try await call("ReadValue", [options(central, offset: offset, mtu: mtu)]).first()
    }

    /// A central writes.
    ///
    /// - Parameters:
    ///   - type: `request`, `command` or `reliable`.
    ///   - onlyAsks: whether this only asks if a long write may begin.
    package func write(
        _ value: Data, by central: FakeDevice, type: String = "request", offset: Int = 0, mtu: UInt16 = 517,
        onlyAsks: Bool = false
    ) async throws {
        var others: [String: BusValue] = ["type": .string(type)]
        if onlyAsks { others["prepare-authorize"] = .boolean(true) }
        try await call("WriteValue", [.bytes(value), options(central, offset: offset, mtu: mtu, others)])
    }

    package func set(hasSocketForEach: Bool) { self.hasSocketForEach = hasSocketForEach }

    /// A central turns notifications on: by a socket, as bluetoothd does where the program offers it, or by
    /// `StartNotify`. When there is a socket for all already, the program gets no call for another one.
    ///
    /// - Parameter reads: whether what comes over the socket is read, as it comes.
    package func subscribe(
        by central: FakeDevice, mtu: UInt16 = 517, usingSocket: Bool = true, reads: Bool = true
    ) async throws {
        subscribers.append(central)
        guard sockets.isEmpty || hasSocketForEach else { return }
        // Values may come by signals even where there is a socket.
        let rule = MatchRule(
            sender: client, path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        signals = daemon.connection.onSignal(rule) { [weak self] signal in
            let changes = signal.arguments.dropFirst().first.flatMap([String: BusValue].init(busValue:))
            if let value = changes?["Value"].flatMap(Data.init(busValue:)) { self?.notify(value) }
        }
        guard usingSocket, offersSocket else {
            try await call("StartNotify")
            return
        }
        let reply: MethodReply
        do {
            reply = try await call("AcquireNotify", [options(central, mtu: mtu)])
        } catch let error as BusError where error.name == "org.bluez.Error.NotSupported" {
            try await call("StartNotify")
            return
        }
        let descriptor: BusFileDescriptor = try reply.first()
        guard let raw = descriptor.take() else { return }
        _ = fcntl(raw, F_SETFL, O_NONBLOCK)
        var socket = Socket(central: central, descriptor: raw)
        if reads {
            socket.reading = .descriptor(raw, [.readable, .hangUp]) { [weak self] _ in self?.readSocket(of: central) }
        }
        sockets.append(socket)
    }

    /// A signal reaches all that are subscribed.
    private func notify(_ value: Data) {
        notifications.append(value)
        for central in subscribers where central.isConnected {
            received[ObjectIdentifier(central), default: []].append(value)
        }
    }

    /// What went to a central, over the socket that was acquired for it or as a signal.
    package func notifications(to central: FakeDevice) -> [Data] { received[ObjectIdentifier(central)] ?? [] }

    /// A central turns notifications off; all of them, if it is not said which. The program hears of the last one only,
    /// unless each has a socket.
    package func unsubscribe(by central: FakeDevice? = nil) async throws {
        subscribers.removeAll { central == nil || $0 === central }
        if hasSocketForEach, let central, closeSocket(of: central) { return }
        guard subscribers.isEmpty else { return }
        if !sockets.isEmpty { return close() }
        signals = nil
        try await call("StopNotify")
    }

    /// All centrals have turned notifications off before the program answered: bluetoothd (5.66) keeps the socket.
    package func missUnsubscription() { subscribers = [] }

    /// The link of a central has ended. bluetoothd keeps the subscriptions of those that are paired. For others it
    /// (5.82) takes the first socket for theirs.
    package func lost(_ central: FakeDevice) {
        let isSubscribed = subscribers.contains { $0 === central }
        if hasSocketForEach, !central.isPaired, isSubscribed, let first = sockets.first {
            closeSocket(of: first.central)
        }
        let hadSocket = hasSocketForEach ? closeSocket(of: central) : !sockets.isEmpty
        guard !central.isPaired, isSubscribed else { return }
        subscribers.removeAll { $0 === central }
        guard subscribers.isEmpty else { return }
        close()
        guard !hadSocket else { return }
        try? daemon.connection.callWithoutReply(
            MethodCall(
                destination: client, path: path, interface: "org.bluez.GattCharacteristic1", method: "StopNotify"))
    }

    /// A central has confirmed an indication.
    package func confirm() async throws { try await call("Confirm") }

    /// Reads what waits in the sockets, or in one central's.
    package func readSocket(of central: FakeDevice? = nil) {
        var buffer = [UInt8](repeating: 0, count: 1024)
        for socket in sockets where central == nil || socket.central === central {
            while true {
                let count = Glibc.read(socket.descriptor, &buffer, buffer.count)
                guard count > 0 else {
                    if count == 0 || errno != EAGAIN { programHasClosedSocket(of: socket.central) }
                    break
                }
                notifications.append(Data(buffer[..<count]))
                received[ObjectIdentifier(socket.central), default: []].append(Data(buffer[..<count]))
            }
        }
    }

    /// A child of this process that has not begun its own program yet has a copy of the descriptor, which would put the
    /// end of the socket off.
    private func end(_ socket: Socket) {
        socket.reading?.cancel()
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
        Glibc.close(socket.descriptor)
    }

    /// Whether there is a socket that was acquired for a central.
    package func hasSocket(for central: FakeDevice) -> Bool { sockets.contains { $0.central === central } }

    /// Closes a central's socket, of which bluetoothd may keep the subscription.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func closeSocket(of central: FakeDevice) -> Bool {
        let hadSocket = hasSocket(for: central)
        for socket in sockets where socket.central === central { end(socket) }
        sockets.removeAll { $0.central === central }
        return hadSocket
    }

    private func programHasClosedSocket(of central: FakeDevice) {
        closeSocket(of: central)
        if sockets.isEmpty, !hasSocketForEach { close() }
    }

    func close() {
        for socket in sockets { end(socket) }
        sockets = []
        signals = nil
        subscribers = []
    }
}

/// An advertisement that a program has registered.
@LoopActor
package final class FakeAdvertisement {
    package let client: String
    package let path: ObjectPath
    package let values: [String: BusValue]

    private init(_ path: ObjectPath, _ client: String, _ values: [String: BusValue]) {
        self.path = path
        self.client = client
        self.values = values
    }

    /// The company's data that are advertised, by its number.
    package var manufacturerData: [UInt16: Data] {
        values["ManufacturerData"].flatMap([UInt16: Data].init(busValue:)) ?? [:]
    }
    package var localName: String? { values["LocalName"].flatMap(String.init(busValue:)) }
    package var serviceUUIDs: [String] { values["ServiceUUIDs"].flatMap([String].init(busValue:)) ?? [] }

    /// Asks the program what is to be advertised, as bluetoothd does.
    static func load(
        _ path: ObjectPath, of client: String, on adapter: FakeAdapter,
        _ completion: @escaping @LoopActor (FakeAdvertisement?) -> Void
    ) {
        let call = MethodCall(
            destination: client, path: path, interface: "org.freedesktop.DBus.Properties", method: "GetAll",
            arguments: [.string("org.bluez.LEAdvertisement1")])
        adapter.daemon.connection.call(call) { result in
            guard let reply = try? result.get(), let values: [String: BusValue] = try? reply.first() else {
                return completion(nil)
            }
            completion(FakeAdvertisement(path, client, values))
        }
    }
}

/// The pairing agents of programs: `org.bluez.AgentManager1`.
@LoopActor
package final class FakeAgents: FakeObject {
    package private(set) var registered: [(client: String, path: ObjectPath, capability: String)] = []
    package private(set) var defaultClient: String?

    init(_ daemon: FakeBluetoothd) {
        super.init(.root.appending("org").appending("bluez"), "org.bluez.AgentManager1", daemon: daemon)
    }

    func forget(_ client: String) {
        registered.removeAll { $0.client == client }
        if defaultClient == client { defaultClient = nil }
    }

    func forgetEverything() {
        registered = []
        defaultClient = nil
    }

    /// Asks the agent of the program that pairs, or else the default one, or else the first.
    ///
    /// - Parameter completion: gets the answer, or nil if there is no agent or it refuses.
    package func ask(
        _ method: String, _ arguments: [BusValue], of client: String? = nil,
        _ completion: @escaping @LoopActor ([BusValue]?) -> Void
    ) {
        let agent =
            registered.first { $0.client == client } ?? registered.first { $0.client == defaultClient }
            ?? registered.first
        guard let agent else { return completion(nil) }
        let call = MethodCall(
            destination: agent.client, path: agent.path, interface: "org.bluez.Agent1", method: method,
            arguments: arguments)
        daemon.connection.call(call) { completion((try? $0.get())?.arguments) }
    }

    override var methods: [ExportedMethod] {
        [
            method("RegisterAgent", inputs: [.object, ExportedArgument("capability", String.self)]) {
                [weak self] invocation in
                let path: ObjectPath = try invocation.argument(0)
                let capability: String = try invocation.argument(1)
                guard self?.registered.contains(where: { $0.client == invocation.sender }) == false else {
                    throw MethodFailure.bluez("AlreadyExists", "Already Exists")
                }
                self?.registered.append((invocation.sender, path, capability))
                invocation.reply()
            },
            method("RequestDefaultAgent", inputs: [.object]) { [weak self] invocation in
                self?.defaultClient = invocation.sender
                invocation.reply()
            },
            method("UnregisterAgent", inputs: [.object]) { [weak self] invocation in
                self?.forget(invocation.sender)
                invocation.reply()
            },
        ]
    }
}
