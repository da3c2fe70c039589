/// Why a call of an ``AsyncCentral`` or an ``AsyncPeripheral`` has failed.
package enum CentralError: Error {
    /// The limit, in seconds, is over.
    case noAnswer(within: TimeInterval)
    /// The connection has ended, or was not made, for this reason if it is known.
    case linkLost(CBError?)
    /// The same because the link could not be encrypted: connecting again at once would end the same way.
    case unencrypted(CBError)
    /// The connection was lost as soon as the device was asked for a value, or for notifications.
    case linkLostAtOnce
    /// Bluetooth is off, or bluetoothd has ended.
    case bluetoothOff
    /// The identifier is not one of a device.
    case unknownPeripheral(UUID)
    /// The device has answered with an error.
    case att(CBATTError)
    /// bluetoothd, or this machine, has refused.
    case failed(CBError)
    /// The task that waited was cancelled.
    case cancelled

    /// - Parameter error: of a request.
    init(_ error: any Error) {
        switch error {
        case let error as CBATTError: self = .att(error)
        case let error as CBError: self = .failed(error)
        default:
            self = .failed(CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: error.localizedDescription]))
        }
    }

    /// - Parameter error: of a connection that has ended or could not be made.
    init(endOfLink error: (any Error)?) {
        let error = error as? CBError
        self = error.flatMap { $0.isAboutPairing ? .unencrypted($0) : nil } ?? .linkLost(error)
    }

    /// Why the connection has ended, or was not made, if the system says so.
    package var endOfLink: CBError? {
        switch self {
        case .linkLost(let error): error
        case .unencrypted(let error): error
        default: nil
        }
    }
}

extension CBError {
    /// Whether connecting again at once would end the same way.
    fileprivate var isAboutPairing: Bool { code == .peerRemovedPairingInformation || code == .encryptionTimedOut }
}
