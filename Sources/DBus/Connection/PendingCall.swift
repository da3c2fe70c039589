import CDBus
package import MainLoop

/// A call that waits for its answer. Its completion runs exactly once.
@LoopActor
package final class PendingCall {
    private let call: MethodCall.Name
    private var completion: (@LoopActor (Result<MethodReply, any Error>) -> Void)?
    /// The number of the call's message; nil until it was sent.
    private var serial: UInt32?
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

    func wasSent(_ serial: UInt32, on connection: BusConnection) {
        self.serial = serial
        self.connection = connection
    }

    func wasAnswered(_ message: RawMessage) {
        finish(read(message))
    }

    /// Stops waiting: the completion gets a `CancellationError`.
    package func cancel() {
        finish(.failure(CancellationError()))
    }

    /// The answer did not come in time.
    func timeOut() {
        finish(.failure(BusError.timedOut(call: call.description)))
    }

    /// The connection was lost.
    func fail() {
        finish(.failure(BusError.disconnected(call: call.description)))
    }

    func finish(_ result: Result<MethodReply, any Error>) {
        guard let completion else { return }
        self.completion = nil
        if let serial { connection?.forgetCall(serial) }
        trace?.ended(with: result)
        completion(result)
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
