/// The domain of ``CBError`` when it is looked at as an `NSError`.
public let CBErrorDomain = "CBErrorDomain"

/// An error of the link, of the local system or of the use of the API. Errors with which a peer answers a request are
/// ``CBATTError``.
///
/// Everything that can be done with an imported error on Apple's platforms works: `error as? CBError`,
/// `(error as NSError).domain == CBErrorDomain`, `catch CBError.connectionTimeout`, `switch error.code`.
public struct CBError: _BridgedStoredNSError, Swift.Sendable {
    public let _nsError: NSError

    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// - Parameter userInfo: more about the error; a description is filled in if it has none.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let described = [NSLocalizedDescriptionKey: code.text].merging(userInfo) { $1 }
        self.init(_nsError: NSError(domain: CBErrorDomain, code: code.rawValue, userInfo: described))
    }

    /// What failed; ``Code-swift.enum/unknown`` for a number that has no case.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }

    /// ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// Errors are equal if their codes and their information are.
    public static func == (first: Self, second: Self) -> Bool {
        first._nsError == second._nsError
    }

    // Foundation's default for this protocol is not implemented on Linux: it ends the program (Swift 6.3).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(errorCode)
    }

    /// What can go wrong.
    public enum Code: Int, _ErrorCodeProtocol, Swift.Sendable {
        public typealias _ErrorType = CBError

        /// None of the other reasons fits.
        case unknown = 0
        /// A parameter is not valid.
        case invalidParameters = 1
        /// The attribute no longer exists.
        case invalidHandle = 2
        /// There is no connection.
        case notConnected = 3
        /// The device has run out of space.
        case outOfSpace = 4
        /// The operation was cancelled.
        case operationCancelled = 5
        /// The link was lost: nothing was heard of the peer for too long.
        case connectionTimeout = 6
        /// The peer ended the connection.
        case peripheralDisconnected = 7
        /// The UUID is reserved for the system.
        case uuidNotAllowed = 8
        /// The peripheral manager is advertising already.
        case alreadyAdvertising = 9
        /// The connection could not be established.
        case connectionFailed = 10
        /// There are as many connections as the controller can hold.
        case connectionLimitReached = 11
        /// The device is not known.
        case unknownDevice = 12
        /// The operation is not supported.
        case operationNotSupported = 13
        /// The peer has lost the keys of the pairing.
        case peerRemovedPairingInformation = 14
        /// Encryption did not come up in time.
        case encryptionTimedOut = 15
        /// There are too many paired devices.
        case tooManyLEPairedDevices = 16
        /// Apple's limit for notifications in the background is exceeded. Never reported on Linux.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Apple's limit for notifications in the background is near. Never reported on Linux.
        case leGattNearBackgroundNotificationLimit = 18

        /// ``unknownDevice``, misspelled as in older SDKs.
        @available(*, deprecated, renamed: "unknownDevice")
        public static var unkownDevice: Code { .unknownDevice }
    }
}

/// The codes as members of the error, for `catch CBError.connectionTimeout` and `CBError(.unknown)` alike.
extension CBError {
    /// None of the other reasons fits.
    public static var unknown: Code { .unknown }
    /// A parameter is not valid.
    public static var invalidParameters: Code { .invalidParameters }
    /// The attribute no longer exists.
    public static var invalidHandle: Code { .invalidHandle }
    /// There is no connection.
    public static var notConnected: Code { .notConnected }
    /// The device has run out of space.
    public static var outOfSpace: Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The link was lost: nothing was heard of the peer for too long.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The peer ended the connection.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// The UUID is reserved for the system.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// The peripheral manager is advertising already.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// The connection could not be established.
    public static var connectionFailed: Code { .connectionFailed }
    /// There are as many connections as the controller can hold.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// The device is not known.
    public static var unknownDevice: Code { .unknownDevice }
    /// ``unknownDevice``, misspelled as in older SDKs.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Code { .unknownDevice }
    /// The operation is not supported.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The peer has lost the keys of the pairing.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// Encryption did not come up in time.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// There are too many paired devices.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// Apple's limit for notifications in the background is exceeded. Never reported on Linux.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// Apple's limit for notifications in the background is near. Never reported on Linux.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
}

extension CBError.Code {
    /// What the code means, for people.
    fileprivate var text: String {
        switch self {
        case .unknown: "An unknown Bluetooth error occurred."
        case .invalidParameters: "A parameter was not valid."
        case .invalidHandle: "The attribute was removed; discover the services again."
        case .notConnected: "The device is not connected."
        case .outOfSpace: "The device has no space left."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection was lost: supervision timeout."
        case .peripheralDisconnected: "The device ended the connection."
        case .uuidNotAllowed: "The UUID is reserved for the system."
        case .alreadyAdvertising: "Advertising is already on."
        case .connectionFailed: "The connection could not be established."
        case .connectionLimitReached: "Too many connections: the controller's limit is reached."
        case .unknownDevice: "The device is unknown."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "The device has lost its pairing keys; remove the pairing and pair again."
        case .encryptionTimedOut: "The connection could not be encrypted in time."
        case .tooManyLEPairedDevices: "Too many devices are paired."
        case .leGattExceededBackgroundNotificationLimit: "Too many notifications arrived in the background."
        case .leGattNearBackgroundNotificationLimit: "Nearly too many notifications arrived in the background."
        }
    }
}
