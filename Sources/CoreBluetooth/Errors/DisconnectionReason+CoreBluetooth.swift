import BlueZ

extension CBError {
    /// What an app learns of the end of a link that it has not asked for.
    ///
    /// - Parameter reason: nil if it is not known: then it is taken for the peer's.
    init(_ reason: DisconnectionReason?) {
        func error(_ code: Code, _ text: String) -> CBError {
            CBError(code, userInfo: [NSLocalizedDescriptionKey: text])
        }
        self =
            switch reason {
            case .timeout: CBError(.connectionTimeout)
            case .remote: CBError(.peripheralDisconnected)
            case .authentication: error(.encryptionTimedOut, "The connection ended because it could not be encrypted.")
            // Another program, or bluetoothd itself, as 30 s after a request that the device has not answered.
            case .local: error(.operationCancelled, "This machine ended the connection.")
            case .suspend: error(.operationCancelled, "The connection ended because this machine went to sleep.")
            case .unknown: error(.connectionFailed, "The connection failed.")
            case nil: error(.peripheralDisconnected, "The connection was lost.")
            }
    }
}
