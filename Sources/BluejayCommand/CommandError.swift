import CoreBluetooth
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
    // Of `pair` only.
    case noAnswerGiven = 10
    case refused = 11
    case wrongPasskey = 12
    case comparisonFailed = 13
    case pairingTimedOut = 14
    case keysLostByDevice = 15
    case keysLostHere = 16
    case outputLost = 74
}

/// Why a command has failed.
struct CommandError: Error {
    var status: ExitStatus
    /// What was attempted on what: "cannot read body-sensor-location of Dittojay"; nil if the reason includes it.
    var attempt: String?
    var reason: String
    /// The ATT error with which the device has answered.
    var attError: Int?
    /// Whether a link that was up has ended, and not because of pairing.
    private(set) var isLossOfLink = false
    /// Whether only this request is why nothing more can be asked: others may be answered over another link.
    private(set) var isAboutThisRequest = false
    /// Whether the request has made the devices pair, and was not answered then: over another link it may be.
    private(set) var isUnansweredSincePairing = false
    /// Why the link could not be encrypted; nil if that is not the failure.
    private(set) var pairingProblem: CBError.Code?

    /// Whether the device wants a pairing other than the one that it has.
    var isAboutPairing: Bool {
        attError.map { CBATTError(CBATTError.Code(rawValue: $0) ?? .success).isAboutPairing } ?? false
    }

    /// The message for the user.
    var message: String { attempt.map { "\($0): \(reason)" } ?? reason }

    init(_ status: ExitStatus, attempt: String? = nil, _ reason: String, attError: Int? = nil) {
        self.status = status
        self.attempt = attempt
        self.reason = reason
        self.attError = attError
    }

    /// - Parameters:
    ///   - attempt: what was attempted on what, for the message: "cannot read 2A38 of Dittojay".
    ///   - device: the device as the user has named it, for advice.
    init(_ error: any Error, attempt: String, device: String = "DEVICE") {
        switch error {
        case let failure as CommandError: self = failure
        case let error as CentralError: self.init(error, attempt: attempt, device: device)
        case let error as CBATTError:
            let code = error.code.rawValue
            let digits = String(code, radix: 16, uppercase: true)
            let meaning = error.isUnansweredSincePairing ? Self.silence : error.localizedDescription
            let text = "ATT error 0x\(digits.count == 1 ? "0" : "")\(digits): \(meaning)"
            guard error.isAboutPairing else {
                self.init(.attError, attempt: attempt, text, attError: code)
                return
            }
            let sentence = text.trimmingSuffix(".")
            self.init(.attError, attempt: attempt, "\(sentence); \(adviceOnPasskeys(device))", attError: code)
            isUnansweredSincePairing = error.isUnansweredSincePairing
        case let error as CBPairingError: self.init(error, attempt: attempt)
        case let error as CBError:
            self.init(Self.status(of: error.code), attempt: attempt, explanation(error, device))
        case let error as OutputError: self.init(.outputLost, "\(error)")
        default: self.init(.failed, attempt: attempt, error.localizedDescription)
        }
    }

    /// - Parameters:
    ///   - device: the device that was to be connected to, as the user has named it.
    ///   - tooLate: what is said when it was not connected in time.
    init(_ error: CentralError, connectingTo device: String, tooLate: String) {
        let attempt = "cannot connect to \(device)"
        switch error {
        case .noAnswer: self.init(.notInTime, attempt: attempt, tooLate)
        // There was no link that could be lost.
        case .linkLost(let error):
            self.init(.connectionFailed, attempt: attempt, error?.localizedDescription ?? "the connection was lost")
        default: self.init(error, attempt: attempt, device: device)
        }
    }

    /// Commands have connected and tried again by themselves.
    private static let silence =
        "The device has not answered since pairing. It may require pairing with a passkey, which this program "
        + "cannot enter"

    private init(_ error: CBPairingError, attempt: String) {
        let status: ExitStatus =
            switch error {
            case .wrongPasskey: .wrongPasskey
            case .comparisonFailed: .comparisonFailed
            case .rejectedByPeripheral, .rejected: .refused
            case .timedOut: .pairingTimedOut
            case .unknownPeripheral: .notInTime
            case .failed: .connectionFailed
            }
        self.init(status, attempt: attempt, error.localizedDescription)
    }

    private static func status(of code: CBError.Code) -> ExitStatus {
        switch code {
        case .connectionTimeout: .notInTime
        case .notConnected, .peripheralDisconnected, .connectionFailed, .connectionLimitReached,
            .peerRemovedPairingInformation, .encryptionTimedOut, .unknownDevice:
            .connectionFailed
        case .invalidHandle: .noSuchCharacteristic
        default: .failed
        }
    }

    private init(_ error: CentralError, attempt: String, device: String) {
        switch error {
        case .noAnswer(let limit):
            self.init(.notInTime, attempt: attempt, "the device did not answer within \(inSeconds(limit))")
            isAboutThisRequest = true
        case .linkLost(let error):
            let reason = error.map { inSentence($0.localizedDescription) }
            self.init(.connectionFailed, attempt: attempt, reason ?? "the connection was lost")
            isLossOfLink = true
        case .linkLostAtOnce:
            self.init(
                .connectionFailed, attempt: attempt,
                "the connection was lost at once, as with a device that refuses to pair; \(adviceOnPasskeys(device))")
            isAboutThisRequest = true
        case .unencrypted(let error):
            self.init(error, attempt: attempt, device: device)
            pairingProblem = error.code
        case .bluetoothOff: self.init(.bluetoothUnavailable, attempt: attempt, Self.isOff)
        case .unknownPeripheral(let identifier):
            self.init(.failed, attempt: attempt, "The peripheral \(identifier.uuidString) is not known.")
        case .att(let error): self.init(error, attempt: attempt, device: device)
        case .failed(let error): self.init(error, attempt: attempt, device: device)
        case .cancelled: self.init(.failed, attempt: attempt, "it was cancelled")
        }
    }

    private static let isOff = "Bluetooth is off, or bluetoothd stopped; \(doctorsAdvice)"
}

/// The advice of an installed program to its user.
let doctorsAdvice = "run \"bluejay doctor\" for help"

// MARK: Pairing

extension CBATTError {
    /// Whether the device wants a pairing, or one other than the one that it has.
    var isAboutPairing: Bool {
        switch code {
        case .insufficientAuthentication, .insufficientEncryption, .insufficientEncryptionKeySize: true
        default: false
        }
    }
}

private func adviceOnPasskeys(_ device: String) -> String {
    "to enter a passkey, run \(unpairing(device)), then \(command("pair", device))"
}

private func explanation(_ error: CBError, _ device: String) -> String {
    guard error.code == .peerRemovedPairingInformation else { return error.localizedDescription }
    return "it lost the keys of its pairing with this machine: run \(unpairing(device)), and connect again"
}

private func unpairing(_ device: String) -> String { command("unpair", device) }

private func command(_ name: String, _ device: String) -> String {
    "\"bluejay \(name) \(device.contains(" ") ? "'\(device)'" : device)\""
}

/// A sentence as the end of another one: without a capital and without its full stop.
func inSentence(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().trimmingSuffix(".")
}

extension StringProtocol {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
    }
}

/// A time limit for a message: `20 s`, `0.5 s`.
func inSeconds(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
