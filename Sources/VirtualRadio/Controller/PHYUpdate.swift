/// Which PHY a connection uses. (Core Specification, Vol 4 Part E, 7.8.47 to 7.8.49; Vol 6 Part B, 5.1.10)
extension Controller {
    static let phyCommands = [
        Command(0x2030, length: 2, supported: (35, 4), since: .v5_3, answer: .completeWithHandle, readPHY),
        Command(0x2031, length: 3, supported: (35, 5), since: .v5_3, setDefaultPHY),
        Command(0x2032, length: 7, supported: (35, 6), since: .v5_3, answer: .status, setPHY),
    ]

    /// 1M, 2M and Coded, a bit for each.
    static let allPHYs: UInt8 = 7

    private func readPHY(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        let phy = connection.link.phy.rawValue
        return Reply(parameters: .init(number: connection.handle) + [phy, phy])
    }

    private func setDefaultPHY(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        preferredPHYs = try preference(parameters, 0)
        return .success
    }

    private func setPHY(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        let wanted = try preference(parameters, 2)
        connection.send(control: .phyRequest, [wanted, wanted])
        connection.link.inEvents(1) { [self] in agree(connection, wanted) }
        return .success
    }

    /// Reads what the host prefers: bits that say "anything" for sending and receiving, then the two sets. The two
    /// directions have the same PHY here.
    private func preference(_ parameters: Parameters, _ place: Int) throws(ErrorCode) -> UInt8 {
        let isAny = parameters.byte(place)
        let sending = isAny & 1 != 0 ? Self.allPHYs : parameters.byte(place + 1)
        let receiving = isAny & 2 != 0 ? Self.allPHYs : parameters.byte(place + 2)
        guard sending != 0, receiving != 0 else { throw .invalidParameters }
        guard (sending | receiving) & ~Self.allPHYs == 0 else { throw .unsupportedFeature }
        return sending & receiving != 0 ? sending & receiving : sending
    }

    /// The fastest that this end wants and the other allows. Without one the PHY stays.
    private func agree(_ connection: Connection, _ wanted: UInt8) {
        guard connection.isOpen else { return }
        let other = connection.other.controller
        guard other.kind >= .v5_3 else { return sendPHYUpdated(connection, .unsupportedRemoteFeature) }
        connection.other.send(control: .phyResponse, [other.preferredPHYs, other.preferredPHYs])
        let common = wanted & other.preferredPHYs
        let phy: PHY =
            common & 2 != 0 ? .le2M : common & 1 != 0 ? .le1M : common & 4 != 0 ? .coded : connection.link.phy
        guard phy != connection.link.phy else { return sendPHYUpdated(connection, .success) }
        let link = connection.link
        let bit: UInt8 = 1 << (phy.rawValue - 1)
        link.central.send(control: .phyUpdate, [bit, bit] + [UInt8](number: link.trace.events + 6))
        link.inEvents(6) { [weak link] in
            guard let link else { return }
            link.phy = phy
            for connection in link.ends where connection.isOpen {
                connection.controller.sendPHYUpdated(connection, .success)
            }
        }
    }

    private func sendPHYUpdated(_ connection: Connection, _ status: ErrorCode) {
        guard let event = begin(.phyUpdateComplete) else { return }
        let phy = connection.link.phy.rawValue
        event.add(status)
        event.add(connection.handle)
        event.add(phy)
        event.add(phy)
        send(event)
    }
}
