package import DBus
package import Foundation
package import MainLoop

/// A service of a remote device.
@LoopActor
package final class FakeService: FakeObject {
    package unowned let device: FakeDevice
    package let uuid: String
    package private(set) var characteristics: [FakeCharacteristic] = []
    /// Whether bluetoothd knows it when it says that all services are resolved; otherwise the test has it appear.
    package var isKnownAtOnce = true
    let handle: UInt16
    private(set) var lastHandle: UInt16

    init(
        _ uuid: String, handle: UInt16, isPrimary: Bool, _ plans: [FakeCharacteristic.Plan], of device: FakeDevice
    ) {
        self.device = device
        self.uuid = Self.fullUUID(uuid)
        self.handle = handle
        lastHandle = handle
        super.init(
            device.path.appending("service" + hexadecimal(handle)), "org.bluez.GattService1",
            [
                "UUID": .string(Self.fullUUID(uuid)), "Device": .objectPath(device.path),
                "Primary": .boolean(isPrimary), "Includes": [ObjectPath]().busValue,
            ], daemon: device.daemon)
        for plan in plans { add(plan) }
    }

    /// Gives it a characteristic, which appears with the service, or by ``FakeObject/show()``.
    @discardableResult
    package func add(_ plan: FakeCharacteristic.Plan) -> FakeCharacteristic {
        let characteristic = FakeCharacteristic(plan, handle: lastHandle + 1, of: self)
        characteristics.append(characteristic)
        lastHandle = characteristic.lastHandle
        return characteristic
    }

    package func include(_ services: [FakeService]) { set("Includes", services.map(\.path).busValue) }

    /// Shows the service with all that is in it.
    package func appear() {
        show()
        for characteristic in characteristics {
            if let delay = characteristic.delay {
                Later.run(after: delay) { [weak characteristic] in characteristic?.appear() }
            } else {
                characteristic.appear()
            }
        }
    }

    /// Takes it off the bus with all that is in it.
    package func disappear() {
        for characteristic in characteristics { characteristic.disappear() }
        hide()
    }

    func linkIsUp() {
        for characteristic in characteristics { characteristic.linkIsUp() }
    }

    func linkIsDown() {
        for characteristic in characteristics { characteristic.linkIsDown() }
    }

    /// A UUID of four or of all digits as bluetoothd writes it.
    package static func fullUUID(_ text: String) -> String {
        text.count == 4 ? "0000\(text.lowercased())-0000-1000-8000-00805f9b34fb" : text.lowercased()
    }
}

/// A characteristic of a remote device.
@LoopActor
package final class FakeCharacteristic: FakeObject {
    /// What a characteristic is to be.
    package struct Plan: Sendable {
        package var uuid: String
        package var flags: [String]
        package var value: Data
        package var descriptors: [String]

        package init(_ uuid: String, _ flags: [String], value: Data = Data(), descriptors: [String] = []) {
            self.uuid = uuid
            self.flags = flags
            self.value = value
            self.descriptors = descriptors
        }
    }

    package unowned let service: FakeService
    package let uuid: String
    package var value: Data
    /// How long after its service it appears; nil for at once.
    package var delay: Duration?
    package private(set) var descriptors: [FakeDescriptor] = []
    /// What reads are answered with instead of the value, and writes instead of being taken.
    package var refusal: MethodFailure?
    /// Whether the device wants an encrypted link.
    package var needsPairing = false
    /// Whether it wants a pairing with a passkey. bluetoothd pairs without one, is refused all the same, and then waits
    /// forever, as it does when the device refuses to pair at all (5.66).
    package var needsPasskey = false
    private var unanswered: [MethodInvocation] = []
    /// What was written, in order.
    package private(set) var written: [(value: Data, type: String)] = []
    /// Who has turned notifications on, by the client's unique name.
    package private(set) var subscribers: Set<String> = []
    /// The daemon's ends of sockets that programs have acquired.
    private var notifySocket: (client: String, descriptor: Int32)?
    private var flood: Data?
    private var writeSocket: (client: String, descriptor: Int32, reading: LoopSource)?
    package var mtu: UInt16 = 517 { didSet { set("MTU", .uint16(mtu)) } }
    let lastHandle: UInt16

    init(_ plan: Plan, handle: UInt16, of service: FakeService) {
        self.service = service
        uuid = FakeService.fullUUID(plan.uuid)
        value = plan.value
        lastHandle = handle + 1 + UInt16(plan.descriptors.count)
        var values: [String: BusValue] = [
            "UUID": .string(FakeService.fullUUID(plan.uuid)), "Service": .objectPath(service.path),
            "Flags": plan.flags.busValue, "MTU": .uint16(517),
        ]
        if plan.flags.contains("notify") || plan.flags.contains("indicate") { values["Notifying"] = .boolean(false) }
        if plan.flags.contains("notify") { values["NotifyAcquired"] = .boolean(false) }
        if plan.flags.contains("write-without-response") { values["WriteAcquired"] = .boolean(false) }
        super.init(
            service.path.appending("char" + hexadecimal(handle)), "org.bluez.GattCharacteristic1", values,
            daemon: service.daemon)
        descriptors = plan.descriptors.enumerated().map { index, uuid in
            FakeDescriptor(uuid, handle: handle + 2 + UInt16(index), of: self)
        }
    }

    package var isNotifying: Bool { flag("Notifying") }
    package var flags: [String] { self["Flags"].flatMap([String].init(busValue:)) ?? [] }

    package func appear() {
        show()
        for descriptor in descriptors { descriptor.show() }
    }

    package func disappear() {
        linkIsDown()
        subscribers = []
        for descriptor in descriptors { descriptor.hide() }
        hide()
    }

    /// The programs that have turned notifications on keep them for the next link, as with 5.66.
    func linkIsDown() {
        closeSockets()
        for invocation in unanswered { invocation.fail(.bluez("Failed", "Operation failed")) }
        unanswered = []
        set("Notifying", self["Notifying"] == nil ? nil : .boolean(false))
    }

    /// Notifications are on again, unasked, before the services are resolved.
    func linkIsUp() {
        guard !subscribers.isEmpty else { return }
        set("Notifying", .boolean(true))
        turnedOn()
    }

    private func turnedOn() {
        if let greeting { emit(greeting) }
    }

    func forget(_ client: String) {
        if notifySocket?.client == client { closeNotifySocket() }
        if writeSocket?.client == client { closeWriteSocket() }
        guard subscribers.remove(client) != nil, subscribers.isEmpty else { return }
        set("Notifying", .boolean(false))
    }

    // MARK: Values

    /// The device sends a notification.
    ///
    /// - Returns: whether anybody was there to take it, and had room.
    @discardableResult
    package func notify(_ value: Data) -> Bool {
        if let notifySocket {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let sent = value.withUnsafeBytes { send(notifySocket.descriptor, $0.baseAddress, $0.count, flags) }
            if sent < 0, errno == EPIPE { closeNotifySocket() }
            return sent == value.count
        }
        guard !subscribers.isEmpty else { return false }
        emit(value)
        return true
    }

    /// The device sends values and ends the connection; the program learns of its end from the bus.
    package func notify(_ values: [Data], thenDisconnect: Bool) {
        for value in values { notify(value) }
        if thenDisconnect { service.device.lose() }
    }

    /// What the device sends as soon as notifications are turned on.
    package var greeting: Data?

    /// Has the device send a value, as soon as a program acquires a socket, until no more fit into it.
    package func set(flood: Data?) { self.flood = flood }

    private func emit(_ value: Data) {
        try? daemon.connection.emitPropertiesChanged(["Value": .bytes(value)], of: interface, at: path)
    }

    private func access(_ invocation: MethodInvocation, _ work: @escaping @LoopActor () -> Void) throws {
        guard service.device.isConnected else { throw MethodFailure.bluez("Failed", "Not connected") }
        if needsPasskey {
            unanswered.append(invocation)
            return service.device.isPaired ? () : service.device.pair { _ in }
        }
        guard needsPairing, !service.device.isPaired else { return work() }
        service.device.pair { [weak self] failure in
            guard let failure else { return work() }
            invocation.fail(self?.service.device.isConnected == true ? .att(0x05) : failure)
        }
    }

    override var methods: [ExportedMethod] {
        [
            method("ReadValue", inputs: [.options], outputs: [.value]) { [weak self] invocation in
                try self?.access(invocation) { [weak self] in
                    guard let self else { return }
                    if let refusal { return invocation.fail(refusal) }
                    // What is read is reported to everybody, before the answer.
                    emit(value)
                    invocation.reply([.bytes(value)])
                }
            },
            method("WriteValue", inputs: [.value, .options]) { [weak self] invocation in
                let value: Data = try invocation.argument(0)
                let options: [String: BusValue] = try invocation.argument(1)
                try self?.access(invocation) { [weak self] in
                    guard let self else { return }
                    if let refusal { return invocation.fail(refusal) }
                    take(value, options["type"].flatMap(String.init(busValue:)) ?? "request")
                    invocation.reply()
                }
            },
            method("StartNotify") { [weak self] invocation in
                guard let self else { return }
                guard !service.device.isDisconnecting else {
                    throw MethodFailure.bluez("NotConnected", "Not Connected")
                }
                guard flags.contains("notify") || flags.contains("indicate") else {
                    throw MethodFailure.bluez("NotSupported", "Operation is not supported")
                }
                try access(invocation) { [weak self] in
                    guard let self else { return }
                    guard notifySocket == nil else {
                        return invocation.fail(.bluez("NotPermitted", "Notify acquired"))
                    }
                    let isFirst = subscribers.isEmpty
                    subscribers.insert(invocation.sender)
                    invocation.reply()
                    set("Notifying", .boolean(true))
                    if isFirst { turnedOn() }
                }
            },
            method("StopNotify") { [weak self] invocation in
                guard let self else { return }
                guard subscribers.remove(invocation.sender) != nil else {
                    throw MethodFailure.bluez("Failed", "No notify session started")
                }
                invocation.reply()
                if subscribers.isEmpty { set("Notifying", .boolean(false)) }
            },
            method(
                "AcquireNotify", inputs: [.options],
                outputs: [ExportedArgument("fd", BusFileDescriptor.self), ExportedArgument("mtu", UInt16.self)]
            ) { [weak self] invocation in
                guard let self else { return }
                guard flags.contains("notify") else { throw MethodFailure.att(0x06) }
                guard notifySocket == nil, subscribers.isEmpty else {
                    throw MethodFailure.bluez("NotPermitted", "Notify acquired")
                }
                let (mine, theirs) = try Self.pair()
                notifySocket = (invocation.sender, mine)
                if let flood { while notify(flood) {} }
                set("NotifyAcquired", .boolean(true))
                invocation.reply([.fileDescriptor(BusFileDescriptor(owning: theirs)), .uint16(mtu)])
            },
            method(
                "AcquireWrite", inputs: [.options],
                outputs: [ExportedArgument("fd", BusFileDescriptor.self), ExportedArgument("mtu", UInt16.self)]
            ) { [weak self] invocation in
                guard let self else { return }
                guard writeSocket == nil else { throw MethodFailure.bluez("NotPermitted", "Write acquired") }
                let (mine, theirs) = try Self.pair()
                let reading = LoopSource.descriptor(mine, [.readable, .hangUp]) { [weak self] _ in self?.readSocket() }
                writeSocket = (invocation.sender, mine, reading)
                set("WriteAcquired", .boolean(true))
                invocation.reply([.fileDescriptor(BusFileDescriptor(owning: theirs)), .uint16(mtu)])
            },
        ]
    }

    private func take(_ value: Data, _ type: String) {
        self.value = value
        written.append((value, type))
    }

    // MARK: Sockets

    private static func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw MethodFailure.bluez("Failed", "no socket") }
        return (ends[0], ends[1])
    }

    private func readSocket() {
        guard let descriptor = writeSocket?.descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                take(Data(buffer[..<count]), "socket")
                continue
            }
            if count == 0 || errno != EAGAIN { closeWriteSocket() }
            return
        }
    }

    private func closeSockets() {
        closeNotifySocket()
        closeWriteSocket()
    }

    private func closeNotifySocket() {
        guard let descriptor = notifySocket?.descriptor else { return }
        notifySocket = nil
        close(descriptor)
        set("NotifyAcquired", .boolean(false))
    }

    private func closeWriteSocket() {
        guard let socket = writeSocket else { return }
        writeSocket = nil
        socket.reading.cancel()
        close(socket.descriptor)
        set("WriteAcquired", .boolean(false))
    }
}

/// A descriptor of a remote characteristic.
@LoopActor
package final class FakeDescriptor: FakeObject {
    package let uuid: String
    package var value = Data()
    package var refusal: MethodFailure?

    init(_ uuid: String, handle: UInt16, of characteristic: FakeCharacteristic) {
        self.uuid = FakeService.fullUUID(uuid)
        super.init(
            characteristic.path.appending("desc" + hexadecimal(handle)), "org.bluez.GattDescriptor1",
            ["UUID": .string(FakeService.fullUUID(uuid)), "Characteristic": .objectPath(characteristic.path)],
            daemon: characteristic.daemon)
    }

    override var methods: [ExportedMethod] {
        [
            method("ReadValue", inputs: [.options], outputs: [.value]) { [weak self] invocation in
                guard let self else { return }
                if let refusal { throw refusal }
                invocation.reply([.bytes(value)])
            },
            method("WriteValue", inputs: [.value, .options]) { [weak self] invocation in
                guard let self else { return }
                if let refusal { throw refusal }
                value = try invocation.argument(0)
                invocation.reply()
            },
        ]
    }
}

/// Four digits, as bluetoothd names attributes by their handles.
private func hexadecimal(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
