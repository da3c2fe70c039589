import DBus
package import Foundation
package import MainLoop

/// A GATT characteristic of a remote device.
///
/// The calls take completions instead of being `async`: they are made in an order that matters.
@LoopActor
package final class RemoteCharacteristic: RemoteObject<GattCharacteristic1> {
    package private(set) weak var service: RemoteService?

    /// Called with each value that bluetoothd reports: notifications, indications, and what any program on this machine
    /// reads.
    package var onValue: (@LoopActor (Data) -> Void)? { didSet { watchIfNeeded() } }
    /// Called when any program's notifications were turned on or off, or when the object was removed (false).
    package var onNotifyingChange: (@LoopActor (Bool) -> Void)? { didSet { watchIfNeeded() } }
    /// The bus sends changes only while one of the two is set, so the properties are as they were reported last.
    private var registrations: [Registration] = []

    init(
        path: ObjectPath, properties: PropertyValues<GattCharacteristic1>, service: RemoteService, session: BlueZSession
    ) {
        self.service = service
        flags = properties[GattCharacteristic1.flags] ?? []
        super.init(path: path, properties: properties, session: session)
    }

    // MARK: Properties

    /// The 128-bit UUID in lower case.
    package var uuid: String { properties[GattCharacteristic1.uuid] ?? "" }
    /// What can be done with it. Kept, because each request asks for it.
    package private(set) var flags: AttributeFlags
    /// Whether any program on this machine has notifications turned on.
    package var isNotifying: Bool { properties[GattCharacteristic1.notifying] ?? false }
    /// The ATT MTU of the link in bytes, where BlueZ reports it (since 5.62).
    package var mtu: Int? { properties[GattCharacteristic1.mtu].map(Int.init) }

    /// Asks bluetoothd for the ATT MTU. BlueZ 5.66 shows the services that it remembers before the MTU is exchanged,
    /// and does not report when ``mtu`` changes then.
    package func fetchMTU() async -> Int? {
        (try? await fetch(GattCharacteristic1.mtu)).map(Int.init) ?? mtu
    }
    /// Whether writes without response can go over a socket.
    package var offersWriteSocket: Bool { properties[GattCharacteristic1.writeAcquired] != nil }

    /// In the order of their handles.
    package var descriptors: [RemoteDescriptor] { descriptorsByPath.values.sorted { $0.path.string < $1.path.string } }
    var descriptorsByPath: [ObjectPath: RemoteDescriptor] = [:]

    private func watchIfNeeded() {
        if onValue == nil, onNotifyingChange == nil {
            registrations = []
        } else if registrations.isEmpty {
            registrations = session?.watch(self) ?? []
        }
    }

    override func update(_ changes: PropertyChanges<GattCharacteristic1>) {
        // The value is not kept: values come by the thousand, and this is where they are used.
        if let value = changes[GattCharacteristic1.value] { onValue?(value) }
        if changes.areOnly(GattCharacteristic1.value) { return }
        super.update(changes)
        if let flags = changes[GattCharacteristic1.flags] { self.flags = flags }
        if let notifying = changes[GattCharacteristic1.notifying] { onNotifyingChange?(notifying) }
    }

    override func invalidate() {
        super.invalidate()
        onNotifyingChange?(false)
        onValue = nil
        onNotifyingChange = nil
    }

    // MARK: Values

    /// How long bluetoothd may take: an ATT transaction times out after 30 s, and pairing may come in between.
    private static let attTimeout: Duration = .seconds(90)

    /// Reads the value, all of it, up to 512 bytes.
    package func read(completion: @escaping @LoopActor (Result<Data, any Error>) -> Void) {
        call(GattCharacteristic1.readValue, [[String: BusValue]().busValue], timeout: Self.attTimeout) { result in
            completion(result.flatMap { reply in Result { try reply.first(as: Data.self) } })
        }
    }

    /// How a value is written.
    package enum WriteKind: String, Swift.Sendable {
        /// Write Request, or a long write when the value does not fit into one.
        case request
        /// Write Command: without response.
        case command

        /// The argument that says so. Made once, not for each write.
        fileprivate var options: BusValue {
            switch self {
            case .request: Self.requestOptions
            case .command: Self.commandOptions
            }
        }

        private static let requestOptions = makeOptions(.request)
        private static let commandOptions = makeOptions(.command)

        private static func makeOptions(_ kind: WriteKind) -> BusValue {
            let options: [String: BusValue] = ["type": .string(kind.rawValue)]
            return options.busValue
        }
    }

    /// Writes the value. A command completes as soon as bluetoothd has it.
    package func write(
        _ value: Data, as kind: WriteKind, completion: @escaping @LoopActor (Result<Void, any Error>) -> Void
    ) {
        call(GattCharacteristic1.writeValue, [.bytes(value), kind.options], timeout: Self.attTimeout) { result in
            completion(result.withoutValue)
        }
    }

    // MARK: Notifications

    /// Turns notifications (or indications) on for this program; values come to ``onValue``.
    package func startNotify(completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        call(GattCharacteristic1.startNotify, timeout: Self.attTimeout) { result in completion(result.withoutValue) }
    }

    /// Turns them off for this program.
    package func stopNotify(completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        call(GattCharacteristic1.stopNotify, timeout: Self.attTimeout) { result in completion(result.withoutValue) }
    }

    // MARK: Sockets

    /// Turns notifications on and takes them from a socket, one packet each, past the bus. Every other program is
    /// locked out, and what the socket cannot take is lost.
    package func acquireNotify(completion: @escaping @LoopActor (Result<PacketSocket, any Error>) -> Void) {
        acquire(GattCharacteristic1.acquireNotify, completion)
    }

    /// Gets a socket for writes without response, past the bus. Every other program is locked out.
    package func acquireWrite(completion: @escaping @LoopActor (Result<PacketSocket, any Error>) -> Void) {
        acquire(GattCharacteristic1.acquireWrite, completion)
    }

    private func acquire(
        _ method: GattCharacteristic1.Method,
        _ completion: @escaping @LoopActor (Result<PacketSocket, any Error>) -> Void
    ) {
        call(method, [[String: BusValue]().busValue], timeout: Self.attTimeout) { result in
            completion(
                result.flatMap { reply in
                    Result {
                        let descriptor: BusFileDescriptor = try reply.first()
                        let mtu: UInt16 = try reply.value(at: 1)
                        return try PacketSocket(descriptor, mtu: Int(mtu))
                    }
                })
        }
    }
}
