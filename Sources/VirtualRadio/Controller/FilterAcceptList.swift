/// The list of devices that advertising, scanning and initiating may be limited to. (Vol 4 Part E, 7.8.14 to 7.8.17)
extension Controller {
    static let filterAcceptListCommands = [
        Command(0x200F, length: 0, supported: (26, 6), readFilterAcceptListSize),
        Command(0x2010, length: 0, supported: (26, 7), clearFilterAcceptList),
        Command(0x2011, length: 7, supported: (27, 0), addToFilterAcceptList),
        Command(0x2012, length: 7, supported: (27, 1), removeFromFilterAcceptList),
    ]

    private static let acceptListSize = 32

    private func readFilterAcceptListSize(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: [UInt8(Self.acceptListSize)])
    }

    private func clearFilterAcceptList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireUnusedAcceptList()
        acceptList = []
        return .success
    }

    private func addToFilterAcceptList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireUnusedAcceptList()
        let address = try listed(parameters)
        guard !acceptList.contains(address) else { return .success }
        guard acceptList.count < Self.acceptListSize else { throw .memoryExceeded }
        acceptList.append(address)
        return .success
    }

    private func removeFromFilterAcceptList(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try requireUnusedAcceptList()
        let address = try listed(parameters)
        acceptList.removeAll { $0 == address }
        return .success
    }

    /// Type 0xFF is for anonymous advertisements, which have no address.
    private func listed(_ parameters: Parameters) throws(ErrorCode) -> DeviceAddress {
        guard parameters.byte(0) <= 1 else {
            throw parameters.byte(0) == 0xFF ? .unsupportedFeature : .invalidParameters
        }
        return try parameters.typedAddress(0)
    }

    private func requireUnusedAcceptList() throws(ErrorCode) {
        let isUsed =
            initiator?.usesAcceptList == true || scanner?.usesAcceptList == true
            || advertisingSets.contains { $0.isEnabled && $0.filterPolicy != 0 }
        if isUsed { throw .commandDisallowed }
    }
}
