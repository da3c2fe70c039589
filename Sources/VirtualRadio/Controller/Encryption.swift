/// How far encryption of a connection has come.
enum Encryption: Equatable {
    case off
    /// The central has asked for it with this key, and the peripheral's host has been asked for its own. `isRefresh`:
    /// the connection was encrypted before.
    case begins(key: [UInt8], isRefresh: Bool)
    case on
}

/// Encryption as hosts see it: nothing is computed, but the keys must be the same. (Core Specification, Vol 4 Part E,
/// 7.8.24 to 7.8.26; Vol 6 Part B, 5.1.3)
extension Controller {
    static let encryptionCommands = [
        Command(0x2019, length: 28, supported: (28, 0), answer: .status, enableEncryption),
        Command(0x201A, length: 18, supported: (28, 1), answer: .completeWithHandle, replyWithKey),
        Command(0x201B, length: 2, supported: (28, 2), answer: .completeWithHandle, replyWithoutKey),
    ]

    private func enableEncryption(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard connection.isCentral else { throw .commandDisallowed }
        let link = connection.link
        let isRefresh = link.encryption == .on
        guard isRefresh || link.encryption == .off else { throw .commandDisallowed }
        link.encryption = .begins(key: parameters.slice(12, 16), isRefresh: isRefresh)
        link.isPaused = true
        let request = parameters.slice(2, 10)
        if isRefresh {
            connection.send(control: .pauseEncryptionRequest)
            for connection in [connection.other, connection] { connection.send(control: .pauseEncryptionResponse) }
        }
        // The parts of the session's key and vector, of which nothing depends here, are zero.
        connection.send(control: .encryptionRequest, request + [UInt8](repeating: 0, count: 12))
        connection.other.send(control: .encryptionResponse, [UInt8](repeating: 0, count: 12))
        link.inEvents(isRefresh ? 2 : 1) { [self] in askForKey(connection.other, request) }
        return .success
    }

    /// Asks the host of the peripheral for the key to the central's random number and diversifier.
    private func askForKey(_ peripheral: Connection, _ request: [UInt8]) {
        guard let event = peripheral.controller.begin(.longTermKeyRequest) else {
            return refuse(peripheral, .unsupportedRemoteFeature)
        }
        event.add(peripheral.handle)
        event.add(request)
        peripheral.controller.send(event)
        peripheral.link.awaitHost()
    }

    private func replyWithKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard !connection.isCentral, case .begins(let key, let isRefresh) = connection.link.encryption else {
            throw .commandDisallowed
        }
        connection.link.hostAnswered()
        let isSame = parameters.slice(2, 16) == key
        connection.send(control: .startEncryptionRequest)
        for connection in [connection.other, connection] { connection.send(control: .startEncryptionResponse) }
        connection.link.inEvents(2) {
            guard isSame else {
                // What the other end has encrypted cannot be read.
                for connection in connection.link.ends { connection.close(.micFailure) }
                return
            }
            connection.link.encryption = .on
            for connection in connection.link.ends {
                connection.controller.sendEncryptionChanged(connection, isRefresh: isRefresh)
            }
            connection.link.resume()
        }
        return Reply(parameters: .init(number: connection.handle))
    }

    private func replyWithoutKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard !connection.isCentral, case .begins = connection.link.encryption else { throw .commandDisallowed }
        connection.link.hostAnswered()
        connection.send(control: .reject, [ErrorCode.pinOrKeyMissing.rawValue])
        connection.link.inEvents(1) { [self] in refuse(connection, .pinOrKeyMissing) }
        return Reply(parameters: .init(number: connection.handle))
    }

    /// The peripheral has no key: the connection goes on as it was, but one that was encrypted ends.
    private func refuse(_ peripheral: Connection, _ reason: ErrorCode) {
        let link = peripheral.link
        guard case .begins(_, let isRefresh) = link.encryption else { return }
        guard !isRefresh else {
            for connection in link.ends { connection.close(reason) }
            return
        }
        link.encryption = .off
        if let event = link.central.controller.begin(.encryptionChange) {
            event.add(reason)
            event.add(link.central.handle)
            event.add(UInt8(0))
            link.central.controller.send(event)
        }
        link.resume()
    }

    private func sendEncryptionChanged(_ connection: Connection, isRefresh: Bool) {
        guard let event = begin(isRefresh ? .encryptionKeyRefreshComplete : .encryptionChange) else { return }
        event.add(ErrorCode.success)
        event.add(connection.handle)
        if !isRefresh { event.add(UInt8(1)) }
        send(event)
    }
}
