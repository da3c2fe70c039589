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
        let end = try end(parameters.number(0))
        guard end.isCentral else { throw .commandDisallowed }
        let link = end.link
        let isRefresh = link.encryption == .on
        guard isRefresh || link.encryption == .off else { throw .commandDisallowed }
        link.encryption = .begins(key: parameters.slice(12, 16), isRefresh: isRefresh)
        link.isPaused = true
        let request = parameters.slice(2, 10)
        if isRefresh {
            end.send(control: .pauseEncryptionRequest)
            for end in [end.other, end] { end.send(control: .pauseEncryptionResponse) }
        }
        // The parts of the session's key and vector, of which nothing depends here, are zero.
        end.send(control: .encryptionRequest, request + [UInt8](repeating: 0, count: 12))
        end.other.send(control: .encryptionResponse, [UInt8](repeating: 0, count: 12))
        link.inEvents(isRefresh ? 2 : 1) { [self] in askForKey(end.other, request) }
        return .success
    }

    /// Asks the host of the peripheral for the key to the central's random number and diversifier.
    private func askForKey(_ peripheral: LinkEnd, _ request: [UInt8]) {
        guard let event = peripheral.controller.begin(.longTermKeyRequest) else {
            return refuse(peripheral, .unsupportedRemoteFeature)
        }
        event.add(peripheral.handle)
        event.add(request)
        peripheral.controller.send(event)
        peripheral.link.awaitHost()
    }

    private func replyWithKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let end = try end(parameters.number(0))
        guard !end.isCentral, case .begins(let key, let isRefresh) = end.link.encryption else {
            throw .commandDisallowed
        }
        end.link.hostAnswered()
        let isSame = parameters.slice(2, 16) == key
        end.send(control: .startEncryptionRequest)
        for end in [end.other, end] { end.send(control: .startEncryptionResponse) }
        end.link.inEvents(2) {
            guard isSame else {
                // What the other end has encrypted cannot be read.
                for end in end.link.ends { end.close(.micFailure) }
                return
            }
            end.link.encryption = .on
            for end in end.link.ends { end.controller.sendEncryptionChanged(end, isRefresh: isRefresh) }
            end.link.resume()
        }
        return Reply(parameters: .init(number: end.handle))
    }

    private func replyWithoutKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let end = try end(parameters.number(0))
        guard !end.isCentral, case .begins = end.link.encryption else { throw .commandDisallowed }
        end.link.hostAnswered()
        end.send(control: .reject, [ErrorCode.pinOrKeyMissing.rawValue])
        end.link.inEvents(1) { [self] in refuse(end, .pinOrKeyMissing) }
        return Reply(parameters: .init(number: end.handle))
    }

    /// The peripheral has no key: the connection goes on as it was, but one that was encrypted ends.
    private func refuse(_ peripheral: LinkEnd, _ reason: ErrorCode) {
        let link = peripheral.link
        guard case .begins(_, let isRefresh) = link.encryption else { return }
        guard !isRefresh else {
            for end in link.ends { end.close(reason) }
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

    private func sendEncryptionChanged(_ end: LinkEnd, isRefresh: Bool) {
        guard let event = begin(isRefresh ? .encryptionKeyRefreshComplete : .encryptionChange) else { return }
        event.add(ErrorCode.success)
        event.add(end.handle)
        if !isRefresh { event.add(UInt8(1)) }
        send(event)
    }
}
