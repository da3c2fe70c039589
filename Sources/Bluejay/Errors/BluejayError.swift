/// An error of Bluejay itself. Errors of CoreBluetooth (`CBError`, `CBATTError`) and of decoding reach completions
/// unchanged.
public enum BluejayError: LocalizedError, CustomNSError {
    /// Bluetooth is not on, or was switched off meanwhile.
    case bluetoothUnavailable
    /// A scan is already running or queued.
    case multipleScanNotSupported
    /// A peripheral is already connected, or a connection is pending or queued.
    case multipleConnectNotSupported
    /// A disconnect is already queued or in progress.
    case multipleDisconnectNotSupported
    /// The timeout of the connection request has expired.
    case connectionTimedOut
    /// No peripheral is connected, or the connection was lost.
    case notConnected
    /// The peripheral does not have the service, or no longer has it.
    case missingService(ServiceIdentifier)
    /// The service does not have the characteristic.
    case missingCharacteristic(CharacteristicIdentifier)
    /// Cancelled by ``Bluejay/cancelEverything(error:shouldDisconnect:)``.
    case cancelled
    /// Ended by a disconnect that the program requested.
    case explicitDisconnect
    /// The attempt to connect was ended by the peripheral or the system.
    case unexpectedDisconnect
    /// A disconnect is queued, and nothing can be queued after it.
    case disconnectQueued
    /// The timeout of a blocking listen has expired.
    case listenTimedOut
    /// The characteristic cannot be read while it is listened to: a value that was read could not be distinguished from
    /// a notification.
    case readFailed
    /// The value was not written.
    case writeFailed
    /// A notification had no value.
    case missingData
    /// `Data.extract` was asked for bytes outside the data, or an integer was received with too few bytes.
    case dataOutOfBounds(start: Int, length: Int, count: Int)
    /// The peripheral is not known to the central manager.
    case unexpectedPeripheral(PeripheralIdentifier)
    /// iOS only: an app in the background cannot scan with duplicates.
    case allowDuplicatesInBackgroundNotSupported
    /// iOS only: an app in the background has to name services to scan for.
    case missingServiceIdentifiersInBackground
    /// A background task is running. Use its ``SynchronizedPeripheral``.
    case backgroundTaskRunning
    /// Another background task is running.
    case multipleBackgroundTaskNotSupported
    /// A flush of a listen needs a timeout above zero.
    case indefiniteFlush
    /// Ended by ``Bluejay/stopAndExtractBluetoothState()``.
    case stopped
    /// Queued before the state of an earlier run was restored.
    case backgroundRestorationInProgress
    /// Restoration took too long: 30 s from the start of the program until Bluetooth was on.
    case startupBackgroundTaskExpired
    /// The characteristic is already listened to, and that listen does not allow another.
    case multipleListenTrapped
    /// Another listen has replaced this one.
    case multipleListenReplaced
    /// More bytes arrived than expected.
    case tooMuchData(expected: Int, received: Data)
}

extension BluejayError {
    /// A sentence about what happened.
    public var errorDescription: String? {
        switch self {
        case .bluetoothUnavailable: "Bluetooth is unavailable."
        case .multipleScanNotSupported: "A scan is already queued or running."
        case .multipleConnectNotSupported: "A peripheral is already connected, or a connection is pending or queued."
        case .multipleDisconnectNotSupported: "A disconnect is already queued or in progress."
        case .connectionTimedOut: "The connection attempt timed out."
        case .notConnected: "No peripheral is connected."
        case .missingService(let service): "The peripheral has no service \(service.uuid.uuidString)."
        case .missingCharacteristic(let characteristic):
            "The peripheral has no characteristic \(characteristic.uuid.uuidString) "
                + "in service \(characteristic.service.uuid.uuidString)."
        case .cancelled: "The operation was cancelled."
        case .explicitDisconnect: "A requested disconnect ended the operation."
        case .unexpectedDisconnect: "The peripheral or the system ended the connection attempt."
        case .disconnectQueued: "A disconnect is queued, and nothing can be queued after it."
        case .listenTimedOut: "The listen timed out."
        case .readFailed: "The characteristic could not be read."
        case .writeFailed: "The characteristic could not be written."
        case .missingData: "The notification has no value."
        case .dataOutOfBounds(let start, let length, let count):
            "Cannot extract \(length) bytes at offset \(start) from \(count) bytes."
        case .unexpectedPeripheral(let peripheral): "The peripheral \(peripheral.uuid.uuidString) is not known."
        case .allowDuplicatesInBackgroundNotSupported: "Scanning with duplicates is not possible in the background."
        case .missingServiceIdentifiersInBackground: "Scanning in the background needs service identifiers."
        case .backgroundTaskRunning: "A background task is running. Use its SynchronizedPeripheral."
        case .multipleBackgroundTaskNotSupported: "A background task is already running."
        case .indefiniteFlush: "Flushing a listen needs a timeout above zero, or it might never end."
        case .stopped: "Bluejay was stopped."
        case .backgroundRestorationInProgress: "The state of an earlier run is still being restored."
        case .startupBackgroundTaskExpired: "Restoring the state of an earlier run took too long."
        case .multipleListenTrapped: "The characteristic already has a listener."
        case .multipleListenReplaced: "Another listen has replaced this one."
        case .tooMuchData(let expected, let received):
            "Expected \(expected) bytes and received \(received.count)."
        }
    }

    /// `"Bluejay"`, the domain of the error as an `NSError`.
    public static var errorDomain: String { "Bluejay" }

    /// The number of the error as an `NSError`, from 1.
    public var errorCode: Int {
        switch self {
        case .bluetoothUnavailable: 1
        case .multipleScanNotSupported: 2
        case .multipleConnectNotSupported: 3
        case .multipleDisconnectNotSupported: 4
        case .connectionTimedOut: 5
        case .notConnected: 6
        case .missingService: 7
        case .missingCharacteristic: 8
        case .cancelled: 9
        case .explicitDisconnect: 10
        case .unexpectedDisconnect: 11
        case .disconnectQueued: 12
        case .listenTimedOut: 13
        case .readFailed: 14
        case .writeFailed: 15
        case .missingData: 16
        case .dataOutOfBounds: 17
        case .unexpectedPeripheral: 18
        case .allowDuplicatesInBackgroundNotSupported: 19
        case .missingServiceIdentifiersInBackground: 20
        case .backgroundTaskRunning: 21
        case .multipleBackgroundTaskNotSupported: 22
        case .indefiniteFlush: 23
        case .stopped: 24
        case .backgroundRestorationInProgress: 25
        case .startupBackgroundTaskExpired: 26
        case .multipleListenTrapped: 27
        case .multipleListenReplaced: 28
        case .tooMuchData: 29
        }
    }

    /// The description under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: errorDescription ?? ""]
    }
}
