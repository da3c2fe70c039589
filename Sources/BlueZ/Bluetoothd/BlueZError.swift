package import DBus
import Foundation

/// An error with which bluetoothd answers a call.
package enum BlueZError: Error, Hashable, Swift.Sendable {
    /// org.bluez is not on the system bus: bluetoothd does not run, or has ended.
    case notRunning
    /// The system bus refuses this user the access to org.bluez.
    case accessDenied(String)
    /// The remote GATT server, or bluetoothd in its name, answered with this ATT error code
    /// (Core Specification, Vol 3, Part F, 3.4.1.1).
    case att(UInt8)
    /// The link to the device is not there.
    case notConnected
    /// The device has not answered a request: in the time that bluetoothd gives it, or before the link ended.
    case noAnswer
    /// The connection could not be made, or was given up.
    case connectionFailed(String)
    /// The object was removed: the device was forgotten, the service changed, the adapter unplugged.
    case objectRemoved(String)
    /// That is so already: the device is paired.
    case alreadyExists
    /// bluetoothd does that already, for this or for another program.
    case inProgress(String)
    /// The adapter is not powered.
    case notReady
    /// The adapter, the device or this bluetoothd cannot do that.
    case notSupported(String)
    /// A program holds the characteristic's socket.
    case acquired(String)
    /// bluetoothd refuses what it was asked for.
    case invalidArguments(String)
    /// Pairing failed: rejected, cancelled or timed out.
    case authenticationFailed(String)
    /// No answer came in time.
    case timedOut(String)
    /// bluetoothd does not allow that, or has no room for it.
    case notPermitted(String)
    /// The system bus has no more match rules for bluetoothd, which needs one to hear of this program's end.
    case noMatchRules
    /// Anything else.
    case failed(name: String, message: String)
}

extension BlueZError {
    /// The meaning of an error that came over the bus. The texts are those of BlueZ 5.66's `src/gatt-client.c` and
    /// `src/error.c`.
    package init(_ error: BusError) {
        switch error {
        case .remote(let name, let message, let call): self = Self.remote(name, message, call)
        case .timedOut(let call): self = .timedOut(call)
        case .disconnected, .cannotConnect: self = .notRunning
        case .invalidValue(let what): self = .invalidArguments(what)
        default: self = .failed(name: "", message: error.description)
        }
    }

    private static func remote(_ name: String, _ message: String, _ call: String) -> BlueZError {
        let error = BusError.remote(name: name, message: message, call: call)
        if error.isServiceUnknown { return .notRunning }
        if error.isUnknownObject { return .objectRemoved(call) }
        if error.isAccessDenied { return .accessDenied(message) }
        if error.isAnswerLost { return .notRunning }
        switch BlueZErrorName(name: name) {
        // The system's text for EALREADY.
        case .failed where message == "Operation already in progress": return .inProgress(call)
        case .failed: return failed(name, message)
        case .notPermitted: return refusal(message)
        case .notConnected: return .notConnected
        case .notReady: return .notReady
        case .notAuthorized: return .att(0x08)
        case .notSupported: return message.contains("Operation is not supported") ? .att(0x06) : .notSupported(message)
        case .inProgress: return .inProgress(call)
        case .alreadyExists: return .alreadyExists
        case .invalidArguments:
            switch message {
            case "Invalid offset": return .att(0x07)
            case "Invalid Length": return .att(0x0D)
            default: return .invalidArguments(message)
            }
        case .invalidOffset: return .att(0x07)
        case .invalidValueLength: return .att(0x0D)
        case .doesNotExist: return .objectRemoved(call)
        case .connectionAttemptFailed: return .connectionFailed(message)
        case .authenticationFailed, .authenticationCanceled, .authenticationRejected, .authenticationTimeout:
            return .authenticationFailed(message)
        case .rejected, nil: return .failed(name: name, message: message)
        }
    }

    private static func failed(_ name: String, _ message: String) -> BlueZError {
        // 0 is no error of the device's: its request was given up (`create_gatt_dbus_error` in src/gatt-client.c).
        if let code = attCode(in: message) { return code == 0 ? .noAnswer : .att(code) }
        switch message {
        case "Operation failed", "Connection timed out": return .noAnswer
        case "Failed allocate notify session": return .noMatchRules
        case "Not connected": return .notConnected
        case "No ATT transport": return .notConnected
        default:
            // org.bluez.Error.Failed with "le-connection-abort-by-local" and the like (`src/error.h`).
            return message.hasPrefix("le-connection") || message.hasPrefix("Software caused connection abort")
                ? .connectionFailed(message) : .failed(name: name, message: message)
        }
    }

    private static func refusal(_ message: String) -> BlueZError {
        switch message {
        case "Read not permitted": .att(0x02)
        case "Write not permitted": .att(0x03)
        case "Not paired": .att(0x05)
        case "Write acquired", "Notify acquired": .acquired(message)
        default: .notPermitted(message)
        }
    }

    /// Finds the code in "Operation failed with ATT error: 0x80".
    private static func attCode(in message: String) -> UInt8? {
        guard let range = message.range(of: "ATT error: 0x") else { return nil }
        return UInt8(message[range.upperBound...].prefix(2), radix: 16)
    }
}

extension BlueZError: LocalizedError, CustomStringConvertible {
    package var errorDescription: String? { description }

    package var description: String {
        switch self {
        case .notRunning: "org.bluez is not on the system bus: is bluetoothd running?"
        case .accessDenied(let message): "the system bus refuses access to org.bluez: \(message)"
        case .att(let code): "ATT error 0x" + (code < 16 ? "0" : "") + String(code, radix: 16, uppercase: true)
        case .notConnected: "the device is not connected"
        case .noAnswer: "the device did not answer"
        case .connectionFailed(let message): "the connection failed: \(message)"
        case .objectRemoved(let call): "\(call): the object was removed"
        case .alreadyExists: "already in that state"
        case .inProgress(let call): "\(call): already in progress"
        case .notReady: "the Bluetooth adapter is not powered on"
        case .notSupported(let message): "not supported: \(message)"
        case .acquired(let message): "held by another program: \(message)"
        case .invalidArguments(let message): "refused by bluetoothd: \(message)"
        case .authenticationFailed(let message): "pairing failed: \(message)"
        case .timedOut(let call): "\(call): bluetoothd did not answer in time"
        case .noMatchRules:
            "the system bus allows bluetoothd no more match rules, of which it needs one for each attribute that programs "
                + "on this machine publish: publish fewer than 500, or raise max_match_rules_per_connection "
                + "(docs/bluez-limits.md)"
        case .notPermitted(let message): Self.text(BlueZErrorName.notPermitted.name, message)
        case .failed(let name, let message): Self.text(name, message)
        }
    }

    private static func text(_ name: String, _ message: String) -> String {
        message.isEmpty ? name : name.isEmpty ? message : "\(message) (\(name))"
    }
}
