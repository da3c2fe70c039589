import DBus

/// The errors of BlueZ on the bus, by their names without what all begin with.
enum BlueZErrorName: String {
    case alreadyExists = "AlreadyExists"
    case authenticationCanceled = "AuthenticationCanceled"
    case authenticationFailed = "AuthenticationFailed"
    case authenticationRejected = "AuthenticationRejected"
    case authenticationTimeout = "AuthenticationTimeout"
    case connectionAttemptFailed = "ConnectionAttemptFailed"
    case doesNotExist = "DoesNotExist"
    case failed = "Failed"
    case inProgress = "InProgress"
    case invalidArguments = "InvalidArguments"
    case invalidOffset = "InvalidOffset"
    case invalidValueLength = "InvalidValueLength"
    case notAuthorized = "NotAuthorized"
    case notConnected = "NotConnected"
    case notPermitted = "NotPermitted"
    case notReady = "NotReady"
    case notSupported = "NotSupported"
    case rejected = "Rejected"

    private static let prefix = "org.bluez.Error."

    /// Nil when `name` is another error's.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    /// The name on the bus.
    var name: String { Self.prefix + rawValue }
}

extension MethodFailure {
    /// A refusal of a call of bluetoothd's.
    init(_ error: BlueZErrorName, _ message: String) {
        self.init(name: error.name, message: message)
    }
}
