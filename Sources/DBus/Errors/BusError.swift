import Foundation

/// What can go wrong on the bus.
package enum BusError: Error, Hashable, Swift.Sendable {
    /// The bus at this address cannot be reached.
    case cannotConnect(address: String, reason: String)
    /// The connection to the bus was lost or closed while `call` was under way.
    case disconnected(call: String)
    /// The called program, or the bus in its place, answered with an error.
    case remote(name: String, message: String, call: String)
    /// No answer came in the time that was given.
    case timedOut(call: String)
    /// A message does not have the type that its interface promises. The types are D-Bus signatures.
    case unexpectedType(expected: String, actual: String, in: String)
    /// A value that D-Bus cannot carry: a string with a zero byte, a malformed object path, an array of mixed types.
    case invalidValue(String)
    /// The object path is exported already, or another program owns the name.
    case alreadyInUse(String)
    /// libdbus ran out of memory.
    case outOfMemory
}

extension BusError {
    /// The D-Bus error name (`org.bluez.Error.Failed`), when the other side sent one.
    package var name: String? {
        if case .remote(let name, _, _) = self { name } else { nil }
    }

    /// The called name has no owner: the service does not run.
    package var isServiceUnknown: Bool {
        switch standardError {
        case .serviceUnknown, .nameHasNoOwner: true
        default: false
        }
    }

    /// The called object or interface does not exist, or no longer exists.
    package var isUnknownObject: Bool {
        switch standardError {
        case .unknownObject, .unknownMethod, .unknownInterface: true
        default: false
        }
    }

    /// The bus's policy forbids the call.
    package var isAccessDenied: Bool { standardError == .accessDenied }

    /// The called program left the bus before it answered.
    package var isAnswerLost: Bool { standardError == .noReply }

    private var standardError: StandardError? { name.flatMap { StandardError(name: $0) } }
}

extension BusError: LocalizedError, CustomStringConvertible {
    package var errorDescription: String? { description }

    package var description: String {
        switch self {
        case .cannotConnect(let address, let reason): "cannot connect to the bus at \(address): \(reason)"
        case .disconnected(let call): "\(call): the connection to the bus was closed"
        case .remote(let name, let message, let call): "\(call): \(message.isEmpty ? name : "\(message) (\(name))")"
        case .timedOut(let call): "\(call): no answer in time"
        case .unexpectedType(let expected, let actual, let place):
            "\(place): expected a value of type '\(expected)', got '\(actual)'"
        case .invalidValue(let what): "not a value for D-Bus: \(what)"
        case .alreadyInUse(let what): "\(what) is already in use"
        case .outOfMemory: "libdbus is out of memory"
        }
    }
}
