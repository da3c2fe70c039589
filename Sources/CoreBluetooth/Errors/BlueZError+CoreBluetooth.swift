import BlueZ

/// How an error of bluetoothd is reported to the app: the peer's answer as ``CBATTError``, anything else as
/// ``CBError``.
func coreBluetoothError(_ error: any Error) -> any Error {
    guard let error = error as? BlueZError else { return error }
    if case .att(let code) = error { return CBATTError(attCode: code) }
    // BlueZ's name of an object means nothing to an app: the code's own text says more.
    if case .objectRemoved = error { return CBError(.invalidHandle) }
    let userInfo = [NSLocalizedDescriptionKey: error.description]
    let code: CBError.Code =
        switch error {
        case .notConnected, .notRunning, .notReady: .notConnected
        case .objectRemoved: .invalidHandle
        case .connectionFailed: .connectionFailed
        case .invalidArguments: .invalidParameters
        case .notSupported: .operationNotSupported
        case .authenticationFailed: .encryptionTimedOut
        case .noMatchRules: .outOfSpace
        case .timedOut, .noAnswer: .connectionTimeout
        case .att, .accessDenied, .inProgress, .alreadyExists, .acquired, .notPermitted, .failed: .unknown
        }
    return CBError(code, userInfo: userInfo)
}

extension CBATTError {
    /// The error for a code that came over the air.
    init(attCode: UInt8) {
        self.init(CBATTError.Code(number: Int(attCode)))
    }
}
