import CDBus
package import MainLoop

/// A call that waits for its answer. Its completion runs exactly once.
@LoopActor
package final class PendingCall {
    private let call: MethodCall.Name
    private var completion: (@LoopActor (Result<MethodReply, any Error>) -> Void)?
    private var handle: OpaquePointer?
    /// The deadline for the answer; nil means none.
    var deadline: ContinuousClock.Instant?
    private weak var connection: BusConnection?
    /// What is logged of the call.
    private let trace: TrafficLog.Call?

    init(_ call: MethodCall, completion: @escaping @LoopActor (Result<MethodReply, any Error>) -> Void) {
        self.call = call.name
        self.completion = completion
        trace = TrafficLog.Call(.call, call.name, with: call.destination, arguments: call.arguments)
    }

    /// Takes over `handle`.
    func start(_ handle: OpaquePointer, on connection: BusConnection) {
        self.handle = handle
        self.connection = connection
        let notified = dbus_pending_call_set_notify(
            handle,
            { _, data in
                guard let data else { return }
                LoopActor.assumeIsolated { Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue().answered() }
            }, Unmanaged.passRetained(self).toOpaque(),
            { data in
                if let data { Unmanaged<PendingCall>.fromOpaque(data).release() }
            })
        if notified == 0 {
            MainLoop.shared.async { self.finish(.failure(BusError.outOfMemory)) }
        } else if dbus_pending_call_get_completed(handle) != 0 {
            // The connection was lost before this call could learn of it.
            MainLoop.shared.async { self.answered() }
        }
    }

    /// Stops waiting: the completion gets a `CancellationError`.
    package func cancel() {
        if let handle { dbus_pending_call_cancel(handle) }
        finish(.failure(CancellationError()))
    }

    /// The answer did not come in time.
    func timeOut() {
        if let handle { dbus_pending_call_cancel(handle) }
        finish(.failure(BusError.timedOut(call: call.description)))
    }

    /// The connection was lost.
    func fail() {
        if let handle { dbus_pending_call_cancel(handle) }
        finish(.failure(BusError.disconnected(call: call.description)))
    }

    func finish(_ result: Result<MethodReply, any Error>) {
        guard let completion else { return }
        self.completion = nil
        if let handle { dbus_pending_call_unref(handle) }
        handle = nil
        connection?.forget(self)
        trace?.ended(with: result)
        completion(result)
    }

    private func answered() {
        guard completion != nil, let handle, let pointer = dbus_pending_call_steal_reply(handle) else { return }
        finish(read(RawMessage(owning: pointer)))
    }

    private func read(_ message: RawMessage) -> Result<MethodReply, any Error> {
        do throws(BusError) {
            let arguments = try message.arguments()
            guard message.type == DBUS_MESSAGE_TYPE_ERROR else {
                return .success(MethodReply(arguments: arguments, call: call))
            }
            return .failure(error(message, arguments))
        } catch {
            return .failure(error)
        }
    }

    private func error(_ message: RawMessage, _ arguments: [BusValue]) -> BusError {
        // libdbus itself makes up the answers for time-out and lost connection; those have no sender, and for calls
        // that were under way when the connection was lost it says "no reply", too.
        if message.sender.isEmpty {
            switch StandardError(name: message.errorName) {
            case .noReply, .timeout:
                return connection?.isOpen == true
                    ? .timedOut(call: call.description) : .disconnected(call: call.description)
            case .disconnected: return .disconnected(call: call.description)
            default: break
            }
        }
        let text = arguments.first.flatMap(String.init(busValue:)) ?? ""
        return .remote(name: message.errorName, message: text, call: call.description)
    }
}

/// Where the cancellation of a task finds the call. Touched on the loop only.
@LoopActor
final class PendingCallBox {
    var call: PendingCall?
    nonisolated init() {}
}
