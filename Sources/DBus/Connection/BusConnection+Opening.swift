import CDBus
import MainLoop

extension BusConnection {
    /// How long the bus may take to let a program in when nothing else is said. Less than programs wait for bluetoothd,
    /// so that they learn which of the two does not answer.
    package nonisolated static let openingTimeout: Duration = .seconds(8)

    /// Connects to the system bus, at ``systemAddress``, as ``open(address:within:)`` does.
    package static func system() async throws(BusError) -> BusConnection {
        try await open(address: systemAddress)
    }

    /// Whether a bus with this address is at a Unix socket: any other may take long to reach.
    package nonisolated static func isUnixSocket(_ address: String) -> Bool {
        address.split(separator: ";").allSatisfy { $0.hasPrefix("unix:") }
    }

    /// Connects to the bus at `address` (`unix:path=/…`) and registers there. A bus at a Unix socket does not hold up
    /// the loop while it takes its time, or does not answer at all. Any other is waited for.
    ///
    /// - Parameter limit: how long the bus may take.
    /// - Throws: ``BusError/cannotConnect(address:reason:)``; see ``BusError/silence`` and ``BusError/closing``.
    package static func open(
        address: String, within limit: Duration = openingTimeout
    ) async throws(BusError) -> BusConnection {
        guard isUnixSocket(address) else { return try BusConnection(address: address) }
        let pointer = try openSocket(at: address)
        let io = ConnectionIO(pointer)
        let answer = await Hello.send(on: pointer, within: limit)
        io.stop()
        let reason: String
        switch answer {
        case .name(let name):
            if dbus_bus_set_unique_name(pointer, name) != 0 {
                return BusConnection(pointer, registeredAs: name, at: address)
            }
            reason = BusError.outOfMemory.description
        case .none(let text): reason = text
        }
        discard(pointer)
        throw .cannotConnect(address: address, reason: reason)
    }
}

extension BusError {
    /// Why a program cannot connect to a bus that takes too long.
    package static let silence = "the bus does not answer"
    /// Why a program cannot connect to a bus that does not let it in, or has ended.
    package static let closing = "the bus has closed the connection"
}

/// The call by which a bus learns of a program.
///
/// Not a pending call of libdbus: that never ends if the bus closes the connection before the program is authenticated.
@LoopActor
private final class Hello {
    enum Answer: Swift.Sendable {
        /// The name that the bus gives.
        case name(String)
        /// It gives none, for this reason.
        case none(String)
    }

    private let answer = FirstOutcome<Answer>()
    private var serial: UInt32 = 0

    static func send(on connection: OpaquePointer, within limit: Duration) async -> Answer {
        let hello = Hello()
        defer { withExtendedLifetime(hello) {} }
        let context = Unmanaged.passUnretained(hello).toOpaque()
        guard dbus_connection_add_filter(connection, filter, context, nil) != 0 else {
            return .none(BusError.outOfMemory.description)
        }
        defer { dbus_connection_remove_filter(connection, filter, context) }
        guard let call = try? RawMessage(.bus(BusDriver.hello, [])),
            dbus_connection_send(connection, call.pointer, &hello.serial) != 0
        else { return .none(BusError.outOfMemory.description) }
        return await hello.answer.value(within: limit, otherwise: .none(BusError.silence))
    }

    private nonisolated static let filter: DBusHandleMessageFunction = { _, arrived, context in
        guard let arrived, let context else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
        // libdbus calls this from `dbus_connection_dispatch`, which is called on the loop only.
        nonisolated(unsafe) let (message, data) = (arrived, context)
        LoopActor.assumeIsolated { Unmanaged<Hello>.fromOpaque(data).takeUnretainedValue().handle(message) }
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }

    private func handle(_ arrived: OpaquePointer) {
        if SignalHeader.disconnected.matches(arrived) { return answer.report(.none(BusError.closing)) }
        guard dbus_message_get_reply_serial(arrived) == serial else { return }
        let text = (try? RawMessage(borrowing: arrived).arguments())?.first.flatMap(String.init(busValue:))
        if dbus_message_get_type(arrived) == DBUS_MESSAGE_TYPE_METHOD_RETURN {
            answer.report(text.map(Answer.name) ?? .none("the bus gives no name"))
        } else {
            answer.report(.none(text ?? "the bus gives no reason"))
        }
    }
}
