/// The domain of ``CBATTError`` when it is looked at as an `NSError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// The answer of a peer's GATT server that refuses a request, or ours to a peer.
///
/// Everything that can be done with an imported error on Apple's platforms works: `error as? CBATTError`,
/// `(error as NSError).domain == CBATTErrorDomain`, `catch CBATTError.insufficientEncryption`, `switch error.code`.
///
/// Specification: Bluetooth Core, Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B, 1.2.
public struct CBATTError: _BridgedStoredNSError, Swift.Sendable {
    public let _nsError: NSError

    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// - Parameter userInfo: more about the error; a description is filled in if it has none.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let described = [NSLocalizedDescriptionKey: code.text].merging(userInfo) { $1 }
        self.init(_nsError: NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: described))
    }

    /// The ATT error code.
    public var code: Code { Code(number: _nsError.code) }

    /// ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }
    public static var _nsErrorDomain: String { CBATTErrorDomain }

    /// Errors are equal if their codes and their information are.
    public static func == (first: Self, second: Self) -> Bool {
        first._nsError == second._nsError
    }

    // Foundation's default for this protocol is not implemented on Linux: it ends the program (Swift 6.3).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(errorCode)
    }

    /// The error codes of ATT.
    ///
    /// Any number can be a code, as on Apple's platforms: `Code(rawValue: 0x80)` is never nil. Numbers without a name
    /// become ``unlisted(_:)``, so that application errors (0x80 to 0x9F) can be sent and received.
    public enum Code: RawRepresentable, Hashable, _ErrorCodeProtocol, Swift.Sendable {
        public typealias _ErrorType = CBATTError

        /// The request succeeded.
        case success
        /// The attribute's handle is not valid on the server.
        case invalidHandle
        /// The attribute cannot be read.
        case readNotPermitted
        /// The attribute cannot be written.
        case writeNotPermitted
        /// The packet was not valid.
        case invalidPdu
        /// The attribute is for authenticated peers only: pairing is needed.
        case insufficientAuthentication
        /// The server does not support the request.
        case requestNotSupported
        /// The offset is beyond the end of the value.
        case invalidOffset
        /// The attribute is for authorized peers only.
        case insufficientAuthorization
        /// Too many prepared writes are queued.
        case prepareQueueFull
        /// There is no such attribute.
        case attributeNotFound
        /// The attribute cannot be read in parts.
        case attributeNotLong
        /// The link's encryption key is too short.
        case insufficientEncryptionKeySize
        /// The value has a length that the attribute does not take.
        case invalidAttributeValueLength
        /// The request met an error that was not expected.
        case unlikelyError
        /// The attribute is for encrypted links only.
        case insufficientEncryption
        /// The attribute type is not a grouping attribute that the server supports.
        case unsupportedGroupType
        /// The server has too few resources for the request.
        case insufficientResources
        /// The client's copy of the attribute table is out of date. (Without a case on Apple's platforms.)
        case databaseOutOfSync
        /// The server does not take the value. (Without a case on Apple's platforms.)
        case valueNotAllowed
        /// The write was refused for a reason of the profile. (Without a case on Apple's platforms.)
        case writeRequestRejected
        /// The client configuration descriptor is not set as the profile demands. (Without a case on Apple's
        /// platforms.)
        case clientCharacteristicConfigurationImproper
        /// The procedure is running already. (Without a case on Apple's platforms.)
        case procedureAlreadyInProgress
        /// The value is out of the range that the profile defines. (Without a case on Apple's platforms.)
        case outOfRange
        /// A code without a name: application errors (0x80 to 0x9F), reserved ones, and what is no ATT code at all.
        /// Made by ``init(rawValue:)`` only.
        case unlisted(UnlistedCode)

        /// A number that has no case of its own in ``Code-swift.enum``.
        public struct UnlistedCode: Hashable, Swift.Sendable {
            /// The code as sent over the air.
            public let rawValue: Int

            // Not public, so that there is only one way to write each code.
            fileprivate init(rawValue: Int) {
                self.rawValue = rawValue
            }
        }

        /// Never nil; optional because Apple's is.
        public init?(rawValue: Int) {
            self.init(number: rawValue)
        }

        /// The code with a number, for code inside the module that has no use for an optional.
        init(number: Int) {
            self = Self.named[number] ?? .unlisted(UnlistedCode(rawValue: number))
        }

        /// The code as sent over the air.
        public var rawValue: Int {
            switch self {
            case .success: 0x00
            case .invalidHandle: 0x01
            case .readNotPermitted: 0x02
            case .writeNotPermitted: 0x03
            case .invalidPdu: 0x04
            case .insufficientAuthentication: 0x05
            case .requestNotSupported: 0x06
            case .invalidOffset: 0x07
            case .insufficientAuthorization: 0x08
            case .prepareQueueFull: 0x09
            case .attributeNotFound: 0x0A
            case .attributeNotLong: 0x0B
            case .insufficientEncryptionKeySize: 0x0C
            case .invalidAttributeValueLength: 0x0D
            case .unlikelyError: 0x0E
            case .insufficientEncryption: 0x0F
            case .unsupportedGroupType: 0x10
            case .insufficientResources: 0x11
            case .databaseOutOfSync: 0x12
            case .valueNotAllowed: 0x13
            case .writeRequestRejected: 0xFC
            case .clientCharacteristicConfigurationImproper: 0xFD
            case .procedureAlreadyInProgress: 0xFE
            case .outOfRange: 0xFF
            case .unlisted(let code): code.rawValue
            }
        }

        private static let named: [Int: Code] = {
            let codes: [Code] = [
                .success,
                .invalidHandle,
                .readNotPermitted,
                .writeNotPermitted,
                .invalidPdu,
                .insufficientAuthentication,
                .requestNotSupported,
                .invalidOffset,
                .insufficientAuthorization,
                .prepareQueueFull,
                .attributeNotFound,
                .attributeNotLong,
                .insufficientEncryptionKeySize,
                .invalidAttributeValueLength,
                .unlikelyError,
                .insufficientEncryption,
                .unsupportedGroupType,
                .insufficientResources,
                .databaseOutOfSync,
                .valueNotAllowed,
                .writeRequestRejected,
                .clientCharacteristicConfigurationImproper,
                .procedureAlreadyInProgress,
                .outOfRange,
            ]
            return Dictionary(uniqueKeysWithValues: codes.map { ($0.rawValue, $0) })
        }()
    }
}

extension CBATTError.Code {
    /// What the code means, for people.
    fileprivate var text: String {
        switch self {
        case .success: "The request succeeded."
        case .invalidHandle: "The attribute's handle is not valid."
        case .readNotPermitted: "The attribute cannot be read."
        case .writeNotPermitted: "The attribute cannot be written."
        case .invalidPdu: "The packet was not valid."
        case .insufficientAuthentication: "The attribute requires a paired (authenticated) connection."
        case .requestNotSupported: "The device does not support the request."
        case .invalidOffset: "The offset is beyond the end of the value."
        case .insufficientAuthorization: "The attribute requires authorization."
        case .prepareQueueFull: "Too many prepared writes are queued on the device."
        case .attributeNotFound: "No such attribute was found."
        case .attributeNotLong: "The attribute cannot be read in parts."
        case .insufficientEncryptionKeySize: "The connection's encryption key is too short."
        case .invalidAttributeValueLength: "The value's length is not valid for the attribute."
        case .unlikelyError: "The device met an unexpected error."
        case .insufficientEncryption: "The attribute requires an encrypted connection."
        case .unsupportedGroupType: "The attribute type does not group other attributes."
        case .insufficientResources: "The device has insufficient resources for the request."
        case .databaseOutOfSync: "The attribute table has changed; discover the services again."
        case .valueNotAllowed: "The device does not allow the value."
        case .writeRequestRejected: "The device refused the write."
        case .clientCharacteristicConfigurationImproper:
            "The Client Characteristic Configuration is not as the profile requires."
        case .procedureAlreadyInProgress: "The device is already carrying out this procedure."
        case .outOfRange: "The value is out of range."
        case .unlisted(let code) where (0x80...0x9F).contains(code.rawValue):
            "The device reported application error 0x\(String(code.rawValue, radix: 16, uppercase: true))."
        case .unlisted(let code):
            "The device reported ATT error \(code.rawValue)."
        }
    }
}
