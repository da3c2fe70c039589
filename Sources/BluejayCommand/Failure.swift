import Bluejay
import LineOutput

/// The program's exit statuses; documented in its help.
enum ExitStatus: Int32, Swift.Sendable {
    case done = 0
    case failed = 1
    case notInTime = 3
    case bluetoothUnavailable = 4
    case connectionFailed = 5
    case attError = 6
    case noSuchCharacteristic = 7
    case outputLost = 74
}

/// Why a command has not done what it was asked for.
struct Failure: Error {
    var status: ExitStatus
    var message: String
    /// The ATT error with which the device has answered.
    var attError: Int?

    init(_ status: ExitStatus, _ message: String, attError: Int? = nil) {
        self.status = status
        self.message = message
        self.attError = attError
    }

    /// - Parameter attempt: what was attempted, for the message: "cannot read 2A38".
    init(_ error: any Error, attempt: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as CBATTError:
            let code = error.code.rawValue
            let digits = String(code, radix: 16, uppercase: true)
            self.init(
                .attError,
                "\(attempt): ATT error 0x\(digits.count == 1 ? "0" : "")\(digits): \(error.localizedDescription)",
                attError: code)
        case let error as CBError:
            switch error.code {
            case .notConnected, .connectionTimeout, .peripheralDisconnected, .connectionFailed, .connectionLimitReached,
                .peerRemovedPairingInformation, .encryptionTimedOut, .unknownDevice:
                self.init(.connectionFailed, "\(attempt): \(error.localizedDescription)")
            case .invalidHandle: self.init(.noSuchCharacteristic, "\(attempt): \(error.localizedDescription)")
            default: self.init(.failed, "\(attempt): \(error.localizedDescription)")
            }
        case let error as BluejayError: self.init(error, attempt: attempt)
        case let error as OutputError: self.init(.outputLost, "\(error)")
        default: self.init(.failed, "\(attempt): \(error.localizedDescription)")
        }
    }

    private init(_ error: BluejayError, attempt: String) {
        switch error {
        case .bluetoothUnavailable: self.init(.bluetoothUnavailable, "\(attempt): Bluetooth is off or gone")
        case .connectionTimedOut: self.init(.notInTime, "\(attempt): the device was not connected in time")
        case .notConnected, .unexpectedDisconnect: self.init(.connectionFailed, "\(attempt): the connection was lost")
        case .missingService, .missingCharacteristic:
            self.init(.noSuchCharacteristic, "\(attempt): \(error.localizedDescription)")
        default: self.init(.failed, "\(attempt): \(error.localizedDescription)")
        }
    }
}
