import CryptographicToolbox

/// The list of devices whose resolvable private addresses a controller knows. (Core Specification, Vol 4 Part E, 7.8.38
/// to 7.8.45, 7.8.77)
extension Controller {
    static let resolvingListCommands = [
        Command(0x2027, length: 39, supported: (34, 3), addToResolvingList),
        Command(0x2028, length: 7, supported: (34, 4), removeFromResolvingList),
        Command(0x2029, length: 0, supported: (34, 5), clearResolvingList),
        Command(0x202A, length: 0, supported: (34, 6), readResolvingListSize),
        Command(0x202B, length: 7, supported: (34, 7), readPeerResolvableAddress),
        Command(0x202C, length: 7, supported: (35, 0), readLocalResolvableAddress),
        Command(0x202D, length: 1, supported: (35, 1), setAddressResolutionEnable),
        Command(0x202E, length: 2, supported: (35, 2), setResolvableAddressTimeout),
        Command(0x204E, length: 8, supported: (39, 2), since: .v5_3, setPrivacyMode),
    ]

    private static let resolvingListSize = 32

    private func addToResolvingList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireIdleResolution()
        let identity = try identity(parameters)
        let peerKey = IdentityResolvingKey(parameters.slice(7, 16))
        let isKnown = resolvingList.contains { entry in
            entry.identity == identity || !peerKey.isZero && entry.peerKey == peerKey
        }
        guard !isKnown else { throw .invalidParameters }
        guard resolvingList.count < Self.resolvingListSize else { throw .memoryExceeded }
        resolvingList.append(
            ResolvingEntry(identity, peerKey: peerKey, localKey: IdentityResolvingKey(parameters.slice(23, 16))))
        return .success
    }

    private func removeFromResolvingList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireIdleResolution()
        let entry = try entry(parameters)
        resolvingList.removeAll { $0 === entry }
        return .success
    }

    private func clearResolvingList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireIdleResolution()
        resolvingList = []
        return .success
    }

    private func readResolvingListSize(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: [UInt8(Self.resolvingListSize)])
    }

    /// Zeros: none has been used yet.
    private func readPeerResolvableAddress(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let address = try entry(parameters).peerAddress
        return Reply(parameters: .init(bits: address?.bits ?? 0, count: 6))
    }

    private func readLocalResolvableAddress(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let address = try entry(parameters).localAddress
        return Reply(parameters: .init(bits: address?.bits ?? 0, count: 6))
    }

    private func setAddressResolutionEnable(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        guard !isInTheAir else { throw .commandDisallowed }
        guard parameters.byte(0) <= 1 else { throw .invalidParameters }
        resolvesAddresses = parameters.byte(0) == 1
        return .success
    }

    /// In seconds. 4.2 allows more than later versions.
    private func setResolvableAddressTimeout(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let timeout = parameters.number(0)
        guard 1...(kind >= .v5_3 ? 0x0E10 : 0xA1B8) ~= timeout else { throw .invalidParameters }
        resolvableAddressTimeout = timeout * Span.second
        return .success
    }

    private func setPrivacyMode(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireIdleResolution()
        guard parameters.byte(7) <= 1 else { throw .invalidParameters }
        try entry(parameters).acceptsIdentity = parameters.byte(7) == 1
        return .success
    }

    private func identity(_ parameters: Parameters) throws(ErrorCode) -> DeviceAddress {
        guard parameters.byte(0) <= 1 else { throw .invalidParameters }
        return try parameters.typedAddress(0)
    }

    private func entry(_ parameters: Parameters) throws(ErrorCode) -> ResolvingEntry {
        guard let entry = resolvingEntry(try identity(parameters)) else { throw .unknownConnection }
        return entry
    }

    /// The list cannot change while it is used.
    private func requireIdleResolution() throws(ErrorCode) {
        if resolvesAddresses, isInTheAir { throw .commandDisallowed }
    }

    private var isInTheAir: Bool {
        scanner != nil || initiator != nil || advertisingSets.contains { $0.isEnabled }
    }
}
