/// Ending connections. (Core Specification, Vol 4 Part E, 7.1.6, 7.7.5)
extension Controller {
    static let disconnectionCommands = [
        Command(0x0406, length: 3, supported: (0, 5), answer: .status, disconnect)
    ]

    private static let reasons: [ErrorCode] = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
        .unsupportedRemoteFeature, .pairingWithUnitKeyUnsupported, .unacceptableConnectionParameters,
    ]

    private func disconnect(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard let reason = ErrorCode(rawValue: parameters.byte(2)), Self.reasons.contains(reason) else {
            throw .invalidParameters
        }
        guard !connection.isTerminating else { throw .commandDisallowed }
        connection.terminate(reason)
        return .success
    }

    func sendDisconnectionComplete(_ handle: Int, _ reason: ErrorCode) {
        guard let event = begin(.disconnectionComplete) else { return }
        event.add(ErrorCode.success)
        event.add(handle)
        event.add(reason)
        send(event)
    }
}
