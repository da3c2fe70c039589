import CDBus
import Foundation
package import MainLoop

/// What the answers to calls go out by: a connection.
@LoopActor
protocol AnswerSender: AnyObject, Swift.Sendable {
    /// - Parameter what: the message, for the error.
    func send(_ message: RawMessage, of what: @autoclosure () -> String) throws(BusError)
}

/// A call of an exported method. It is to be answered exactly once; a second answer is ignored, and the call of a
/// released invocation is answered with an error, so that no caller waits in vain.
@LoopActor
package final class MethodInvocation {
    package let arguments: [BusValue]
    /// The unique name of the caller.
    package let sender: String
    private let message: RawMessage
    private weak var connection: (any AnswerSender)?
    private var isAnswered = false
    /// What the log follows of it.
    private let trace: TrafficLog.Call?

    init(_ message: RawMessage, arguments: [BusValue], on connection: any AnswerSender) {
        self.message = message
        self.arguments = arguments
        self.sender = message.sender
        self.connection = connection
        trace = TrafficLog.Call(.called, message.name, with: message.sender, arguments: arguments)
    }

    deinit {
        // Not an isolated deinit: that would cost a job on the loop for every call, answered or not.
        guard !isAnswered else { return }
        let (message, connection) = (message, connection)
        MainLoop.shared.async {
            Self.send(MethodFailure(.failed, "No answer was given"), to: message, on: connection)
        }
    }

    /// Argument number `index`, from 0.
    ///
    /// - Throws: a ``MethodFailure`` that says which argument is wrong.
    package func argument<T: BusType>(_ index: Int, as type: T.Type = T.self) throws(MethodFailure) -> T {
        guard arguments.indices.contains(index), let value = T(busValue: arguments[index]) else {
            throw .invalidArguments("argument \(index) of \(message.member) is of type '\(T.busSignature)'")
        }
        return value
    }

    /// Answers the call.
    package func reply(_ values: [BusValue] = []) {
        guard !isAnswered else { return }
        guard message.expectsReply else { return isAnswered = true }
        do throws(BusError) {
            guard let pointer = dbus_message_new_method_return(message.pointer) else { throw .outOfMemory }
            let reply = RawMessage(owning: pointer)
            try MessageWriter.append(values, to: pointer)
            isAnswered = true
            trace?.answered(values)
            try connection?.send(reply, of: "the answer to \(message.member)")
        } catch {
            // A lost connection needs no answer; a value that cannot be sent is answered with an error.
            fail(MethodFailure(.failed, error.description))
        }
    }

    /// Answers the call with an error.
    package func fail(_ failure: MethodFailure) {
        guard !isAnswered else { return }
        isAnswered = true
        trace?.failed("\(failure.name): \(failure.message)")
        Self.send(failure, to: message, on: connection)
    }

    private static func send(_ failure: MethodFailure, to message: RawMessage, on connection: (any AnswerSender)?) {
        guard message.expectsReply else { return }
        let name = dbus_validate_error_name(failure.name, nil) != 0 ? failure.name : StandardError.failed.name
        let text = failure.message.replacingOccurrences(of: "\0", with: "")
        guard let pointer = dbus_message_new_error(message.pointer, name, text) else { return }
        // If this fails, the caller cannot be reached either.
        try? connection?.send(RawMessage(owning: pointer), of: "the answer to \(message.member)")
    }
}
