import CDBus
package import MainLoop

extension BusConnection {
    /// Connects to the bus at `address` as ``init(address:)`` does, but does not hold up the loop while the bus takes
    /// its time, or does not answer at all.
    ///
    /// - Parameters:
    ///   - address: of Unix sockets only: any other may take long by itself.
    ///   - limit: how long the bus may take.
    /// - Throws: ``BusError/cannotConnect(address:reason:)``.
    package static func open(address: String, within limit: Duration) async throws -> BusConnection {
        guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }) else {
            throw BusError.cannotConnect(address: address, reason: "it is not the address of a Unix socket")
        }
        let pointer = try openSocket(at: address)
        let io = ConnectionIO(pointer)
        let name = await Hello.send(on: pointer, within: limit)
        io.stop()
        guard let name, dbus_bus_set_unique_name(pointer, name) != 0 else {
            discard(pointer)
            throw BusError.cannotConnect(address: address, reason: "the bus does not answer")
        }
        return BusConnection(pointer, registeredAs: name, at: address)
    }
}

/// The call by which a bus learns of a program.
private final class Hello: Swift.Sendable {
    private let continuation: CheckedContinuation<String?, Never>

    private init(_ continuation: CheckedContinuation<String?, Never>) {
        self.continuation = continuation
    }

    /// - Returns: the name that the bus gives; nil if it gives none.
    @LoopActor
    static func send(on connection: OpaquePointer, within limit: Duration) async -> String? {
        await withCheckedContinuation { continuation in
            var pending: OpaquePointer?
            guard let call = try? RawMessage(.bus(BusDriver.hello, [])),
                dbus_connection_send_with_reply(
                    connection, call.pointer, &pending, Int32(clamping: limit.wholeMilliseconds)) != 0,
                let pending
            else { return continuation.resume(returning: nil) }
            let hello = Unmanaged.passRetained(Hello(continuation))
            // It is called for the lack of an answer, too. There is none yet: nothing is dispatched meanwhile.
            let isSet = dbus_pending_call_set_notify(
                pending, answered, hello.toOpaque(), { data in data.map { Unmanaged<Hello>.fromOpaque($0).release() } })
            guard isSet == 0 else { return }
            hello.release()
            dbus_pending_call_cancel(pending)
            dbus_pending_call_unref(pending)
            continuation.resume(returning: nil)
        }
    }

    private static let answered: DBusPendingCallNotifyFunction = { pending, data in
        guard let pending, let data else { return }
        let hello = Unmanaged<Hello>.fromOpaque(data).takeUnretainedValue()
        var name: UnsafePointer<CChar>?
        if let reply = dbus_pending_call_steal_reply(pending) {
            if dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN {
                var arguments = DBusMessageIter()
                if dbus_message_iter_init(reply, &arguments) != 0,
                    dbus_message_iter_get_arg_type(&arguments) == Int32(UInt8(ascii: "s"))
                {
                    dbus_message_iter_get_basic(&arguments, &name)
                }
            }
            hello.continuation.resume(returning: name.map { String(cString: $0) })
            dbus_message_unref(reply)
        } else {
            hello.continuation.resume(returning: nil)
        }
        dbus_pending_call_unref(pending)
    }
}
