import CDBus
import Foundation
import Logging
package import MainLoop

/// A connection to a message bus, on the loop of ``LoopActor``.
///
/// A lost connection is reported once, to every handler of ``onDisconnect(_:)`` and to every call under way; from then
/// on each call fails with ``BusError/disconnected(call:)``.
@LoopActor
package final class BusConnection: AnswerSender {
    /// How long a call waits for its answer when nothing else is said.
    package nonisolated static let defaultTimeout: Duration = .seconds(25)

    /// The name that the bus gave to this connection (`:1.42`).
    package nonisolated let uniqueName: String

    /// Whether the bus is still there.
    package private(set) var isConnected = true

    let pointer: OpaquePointer
    let exports = ExportTable()
    let signals = SignalTable()
    private var io: ConnectionIO?
    private var disconnectHandlers: [Int: @LoopActor () -> Void] = [:]
    private var nextHandler = 0

    // MARK: Opening and closing

    /// Where the system bus is: `DBUS_SYSTEM_BUS_ADDRESS`, or the system's usual socket.
    package nonisolated static var systemAddress: String {
        ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]
            ?? "unix:path=/var/run/dbus/system_bus_socket"
    }

    /// Connects to the bus at `address` (`unix:path=/…`) and registers there. Waits for the bus, however long it takes
    /// to answer: see ``open(address:within:)``.
    ///
    /// - Throws: ``BusError/cannotConnect(address:reason:)``.
    package convenience init(address: String) throws(BusError) {
        let pointer = try Self.openSocket(at: address)
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard dbus_bus_register(pointer, &error) != 0, let name = dbus_bus_get_unique_name(pointer) else {
            Self.discard(pointer)
            throw .cannotConnect(address: address, reason: Self.text(error.message))
        }
        self.init(pointer, registeredAs: String(cString: name), at: address)
    }

    /// Takes over a connection of libdbus to the bus, which has given it a name.
    init(_ pointer: OpaquePointer, registeredAs name: String, at address: String) {
        self.pointer = pointer
        uniqueName = name
        dbus_connection_add_filter(pointer, Self.filter, Unmanaged.passUnretained(self).toOpaque(), nil)
        io = ConnectionIO(pointer)
        TrafficLog.logger.debug("connected to the bus", metadata: ["address": "\(address)", "name": "\(uniqueName)"])
    }

    /// Connects to the bus at `address`, which does not know this program yet.
    static func openSocket(at address: String) throws(BusError) -> OpaquePointer {
        guard !address.hasZeroByte else { throw .invalidValue("an address with a zero byte") }
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let pointer = dbus_connection_open_private(address, &error) else {
            throw .cannotConnect(address: address, reason: text(error.message))
        }
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        return pointer
    }

    /// Gives up a connection of libdbus that nothing drives.
    static func discard(_ pointer: OpaquePointer) {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }

    isolated deinit {
        close()
        // libdbus aborts unless this is the very function that was added.
        dbus_connection_remove_filter(pointer, Self.filter, Unmanaged.passUnretained(self).toOpaque())
        dbus_connection_unref(pointer)
    }

    /// What libdbus calls for every message that arrives.
    private nonisolated static let filter: DBusHandleMessageFunction = { _, arrived, context in
        guard let arrived, let context else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
        // libdbus calls this from `dbus_connection_dispatch`, which is called on the loop only.
        nonisolated(unsafe) let (message, data) = (arrived, context)
        return LoopActor.assumeIsolated {
            // Retained for the call: a handler may release the connection.
            let connection = Unmanaged<BusConnection>.fromOpaque(data).takeUnretainedValue()
            return connection.handle(message) ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
    }

    /// Closes the connection. Calls under way fail; the disconnect handlers are called.
    package func close() {
        guard isConnected else { return }
        flush()
        dbus_connection_close(pointer)
        lost()
    }

    /// Sends what is queued before it returns. Waits a second at most for a bus that does not read.
    package func flush() {
        let deadline = ContinuousClock.now + .seconds(1)
        while isConnected, dbus_connection_has_messages_to_send(pointer) != 0 {
            let left = deadline - .now
            guard left > .zero, dbus_connection_read_write(pointer, Int32(left.wholeMilliseconds)) != 0 else { return }
        }
    }

    /// Bytes that wait to be sent. A sender of many signals has to watch it: the bus reads them at its own speed.
    package var outgoingByteCount: Int { dbus_connection_get_outgoing_size(pointer) }

    /// Calls `handler` once when the connection was lost, at once if it is lost already, unless the registration is
    /// cancelled or released before.
    package func onDisconnect(_ handler: @escaping @LoopActor () -> Void) -> Registration {
        guard isConnected else {
            handler()
            return Registration {}
        }
        nextHandler += 1
        let key = nextHandler
        disconnectHandlers[key] = handler
        return Registration { [weak self] in self?.disconnectHandlers[key] = nil }
    }

    private func lost() {
        guard isConnected else { return }
        isConnected = false
        TrafficLog.logger.debug("disconnected from the bus", metadata: ["name": "\(uniqueName)"])
        io?.stop()
        io = nil
        deadlineTimer = nil
        for call in pendingCalls.sorted(by: { $0.key < $1.key }).map(\.value) { call.fail() }
        let handlers = disconnectHandlers.sorted { $0.key < $1.key }.map(\.value)
        disconnectHandlers = [:]
        handlers.forEach { $0() }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? "no reason given"
    }

    // MARK: Calls

    /// By the serial numbers of their messages, which answers repeat.
    private var pendingCalls: [UInt32: PendingCall] = [:]
    private var nextDeadline: ContinuousClock.Instant?
    private var deadlineTimer: LoopSource?
    /// Longer ones are as good as forever, and might leave the clock's range.
    private static let longestTimeout: Duration = .seconds(1_000_000)

    /// Calls a method and waits for the answer.
    ///
    /// - Parameter timeout: how long to wait; nil waits forever.
    /// - Throws: ``BusError``, or `CancellationError` when the task is cancelled: the answer is ignored then, but
    ///   the call itself is not taken back.
    package func call(_ call: MethodCall, timeout: Duration? = defaultTimeout) async throws -> MethodReply {
        try Task.checkCancellation()
        let pending = PendingCallBox()
        return try await withTaskCancellationHandler {
            // Without the preference, a resumed task goes through the global executor: two switches of the thread.
            try await withTaskExecutorPreference(MainLoop.shared) {
                try await withCheckedThrowingContinuation { continuation in
                    pending.call = self.call(call, timeout: timeout) { result in
                        continuation.resume(with: result)
                    }
                    if Task.isCancelled { pending.call?.cancel() }
                }
            }
        } onCancel: {
            MainLoop.shared.async { pending.call?.cancel() }
        }
    }

    /// Calls a method. `completion` gets the answer, once, and never from within this call.
    ///
    /// - Returns: the call, for cancelling it. It need not be kept.
    @discardableResult
    package func call(
        _ call: MethodCall, timeout: Duration? = defaultTimeout,
        completion: @escaping @LoopActor (Result<MethodReply, any Error>) -> Void
    ) -> PendingCall {
        let pending = PendingCall(call, completion: completion)
        do throws(BusError) {
            // Not as a pending call of libdbus, which makes an error message and a timer for each call in case that it
            // is not answered: a fifth of what the call costs.
            let serial = try numberedSend(RawMessage(call), of: call.description)
            pendingCalls[serial] = pending
            pending.wasSent(serial, on: self)
            if let timeout { limit(pending, to: timeout) }
        } catch {
            MainLoop.shared.async { pending.finish(.failure(error)) }
        }
        return pending
    }

    /// Ends the call if it is not answered in time. One timer is for all calls: it is set for the first deadline, stays
    /// as it is when that call is answered, and looks for the next one when it fires.
    private func limit(_ call: PendingCall, to timeout: Duration) {
        let deadline = ContinuousClock.now + min(timeout, Self.longestTimeout)
        call.deadline = deadline
        if let nextDeadline, nextDeadline <= deadline { return }
        setTimer(for: deadline)
    }

    private func setTimer(for deadline: ContinuousClock.Instant) {
        nextDeadline = deadline
        deadlineTimer = .timer(after: max(deadline - .now, .zero)) { [weak self] in self?.endLateCalls() }
    }

    private func endLateCalls() {
        nextDeadline = nil
        deadlineTimer = nil
        let now = ContinuousClock.now
        let limited = pendingCalls.values.compactMap { call in call.deadline.map { (call, $0) } }
        if let next = limited.map(\.1).filter({ $0 > now }).min() { setTimer(for: next) }
        for (call, deadline) in limited where deadline <= now { call.timeOut() }
    }

    /// Sends a call whose answer does not matter.
    package func callWithoutReply(_ call: MethodCall) throws(BusError) {
        let message = try RawMessage(call)
        // No answer will be logged.
        _ = TrafficLog.Call(.call, call.name, with: call.destination, arguments: call.arguments)
        dbus_message_set_no_reply(message.pointer, 1)
        try send(message, of: call.description)
    }

    func forgetCall(_ serial: UInt32) {
        pendingCalls[serial] = nil
    }

    /// Whether libdbus still has the bus, which it may have lost before it reports that.
    var isOpen: Bool { isConnected && dbus_connection_get_is_connected(pointer) != 0 }

    /// Sends a signal from the object at `path`.
    package func emit(_ member: String, of interface: String, from path: ObjectPath, arguments: [BusValue] = [])
        throws(BusError)
    {
        try send(
            RawMessage(signal: member, of: interface, from: path, arguments: arguments), of: "\(interface).\(member)")
    }

    /// Sends a signal of an interface that is declared as a table.
    package func emit<Interface: BusInterface>(
        _ signal: InterfaceSignal<Interface>, from path: ObjectPath, arguments: [BusValue] = []
    ) throws(BusError) {
        try emit(signal.name, of: Interface.name, from: path, arguments: arguments)
    }

    func send(_ message: RawMessage, of what: @autoclosure () -> String) throws(BusError) {
        _ = try numberedSend(message, of: what())
    }

    /// - Returns: the message's serial number.
    private func numberedSend(
        _ message: RawMessage, of what: @autoclosure () -> String
    ) throws(BusError) -> UInt32 {
        guard isOpen else { throw .disconnected(call: what()) }
        try checkDescriptors(of: message)
        var serial: UInt32 = 0
        guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else { throw .outOfMemory }
        return serial
    }

    /// libdbus refuses file descriptors on a connection that cannot carry them, and does not say why.
    private func checkDescriptors(of message: RawMessage) throws(BusError) {
        guard
            dbus_message_contains_unix_fds(message.pointer) == 0
                || dbus_connection_can_send_type(pointer, Int32(CDBUS_TYPE_UNIX_FD)) != 0
        else { throw .invalidValue("a file descriptor on a connection that does not carry any") }
    }

    // MARK: What arrives

    /// Whether the message has been handled, so that libdbus does not look for an object that it is for.
    private func handle(_ arrived: OpaquePointer) -> Bool {
        switch dbus_message_get_type(arrived) {
        case DBUS_MESSAGE_TYPE_SIGNAL:
            // A characteristic's values come by the thousand: nothing is made for them that is not needed.
            let isLogged = TrafficLog.isOn
            if !isLogged, signals.dispatchBytes(arrived) { return true }
            if SignalHeader.disconnected.matches(arrived) {
                lost()
                return true
            }
            let message = RawMessage(borrowing: arrived)
            TrafficLog.signal(message)
            if !isLogged || !signals.dispatchBytes(arrived) { signals.dispatch(message) }
            return true
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
            // There is no call when it was cancelled, timed out, or wants no answer.
            pendingCalls[dbus_message_get_reply_serial(arrived)]?.wasAnswered(RawMessage(borrowing: arrived))
            return true
        case DBUS_MESSAGE_TYPE_METHOD_CALL: return exports.dispatch(RawMessage(borrowing: arrived), on: self)
        default: return false
        }
    }
}
