/// An attempt to connect.
final class Initiator {
    let address: DeviceAddress
    /// `nil`: any of the accept list.
    let peer: DeviceAddress?
    let isExtended: Bool
    /// On which it listens, a bit for each.
    let phys: UInt8
    let plan: ListeningPlan
    let parameters: ConnectionParameters

    init(
        address: DeviceAddress, peer: DeviceAddress?, isExtended: Bool, phys: UInt8, plan: ListeningPlan,
        parameters: ConnectionParameters
    ) {
        self.address = address
        self.peer = peer
        self.isExtended = isExtended
        self.phys = phys
        self.plan = plan
        self.parameters = parameters
    }

    var usesAcceptList: Bool { peer == nil }
}

/// Creating connections. (Core Specification, Vol 4 Part E, 7.8.12, 7.8.13, 7.8.66)
extension Controller {
    static let initiatingCommands = [
        Command(0x200D, length: 25, supported: (26, 4), answer: .status, createConnection),
        Command(0x200E, length: 0, supported: (26, 5), createConnectionCancel),
        Command(0x2043, length: nil, supported: (37, 7), since: .v5_3, answer: .status, extendedCreateConnection),
    ]

    private static let mostConnections = 32

    private func createConnection(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        try initiate(
            usesAcceptList: parameters.byte(4), peer: try parameters.typedAddress(5), ownType: parameters.byte(12),
            scan: (parameters.number(0), parameters.number(2)),
            try ConnectionParameters(parameters, 13), isExtended: false, phys: 1)
        return .success
    }

    private func extendedCreateConnection(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let phys = parameters.byte(9)
        guard phys != 0, phys & ~7 == 0, parameters.count == 10 + 16 * phys.nonzeroBitCount else {
            throw .invalidParameters
        }
        for place in stride(from: 10, to: parameters.count, by: 16) {
            _ = try ConnectionParameters(parameters, place + 4)
        }
        try initiate(
            usesAcceptList: parameters.byte(0), peer: try parameters.typedAddress(2), ownType: parameters.byte(1),
            scan: (parameters.number(10), parameters.number(12)),
            try ConnectionParameters(parameters, 14), isExtended: true, phys: phys)
        return .success
    }

    private func initiate(
        usesAcceptList: UInt8, peer: DeviceAddress, ownType: UInt8, scan: (interval: Int, window: Int),
        _ connection: ConnectionParameters, isExtended: Bool, phys: UInt8
    ) throws(ErrorCode) {
        guard initiator == nil else { throw .commandDisallowed }
        guard usesAcceptList <= 1, ownType <= 3, scan.window >= 4, scan.window <= scan.interval else {
            throw .invalidParameters
        }
        guard ends.count < Self.mostConnections else { throw .connectionLimitExceeded }
        if usesAcceptList == 0, ends.contains(where: { $0.peerAddress == peer }) { throw .connectionExists }
        var own = address
        if ownType & 1 == 1 {
            guard let randomAddress else { throw .invalidParameters }
            own = randomAddress
        }
        initiator = Initiator(
            address: own, peer: usesAcceptList == 1 ? nil : peer, isExtended: isExtended, phys: phys,
            plan: ListeningPlan(
                interval: scan.interval * Span.slot, window: scan.window * Span.slot, began: radio.now),
            parameters: connection)
        radio.listenersChanged()
        radio.hastenAdvertisers()
    }

    private func createConnectionCancel(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        guard let initiator else { throw .commandDisallowed }
        self.initiator = nil
        radio.listenersChanged()
        return Reply(then: { [self] in
            sendConnectionFailed(.unknownConnection, isCentral: true, peer: initiator.peer)
        })
    }

    /// Whether this controller wants to connect to an advertiser that it hears, and may.
    func wants(_ set: AdvertisingSet) -> Initiator? {
        guard let initiator, set.has(AdvertisingSet.Property.connectable) else { return nil }
        guard initiator.isExtended || set.has(AdvertisingSet.Property.legacy) else { return nil }
        let address = set.address
        if let peer = initiator.peer {
            guard peer == address else { return nil }
        } else {
            guard acceptList.contains(address) else { return nil }
        }
        guard !ends.contains(where: { $0.peerAddress == address }), ends.count < Self.mostConnections else {
            return nil
        }
        let advertiser = set.controller
        guard advertiser.ends.count < Self.mostConnections else { return nil }
        if set.has(AdvertisingSet.Property.directed) { return set.target == initiator.address ? initiator : nil }
        guard set.filterPolicy & 2 == 0 || advertiser.acceptList.contains(initiator.address) else { return nil }
        return initiator
    }

    /// Connects to an advertiser, whose set is no longer advertised then.
    ///
    /// In real air the advertiser may miss the request. This controller does not know that, until it hears nothing.
    func connect(to set: AdvertisingSet, _ initiator: Initiator) {
        self.initiator = nil
        radio.listenersChanged()
        let peripheral = set.controller
        let link = Link(radio, initiator.parameters, from: self, initiator.address, to: peripheral, set.address)
        if !set.has(AdvertisingSet.Property.legacy) { link.phy = set.secondaryPHY }
        radio.add(link)
        radio.sniffer?.hearConnect(link)
        ends.append(link.central)
        sendConnectionComplete(link.central)
        if radio.hears(self, by: peripheral, .connect, payload: Self.connectRequestLength) {
            set.disable()
            peripheral.ends.append(link.peripheral)
            peripheral.sendConnectionComplete(link.peripheral)
            if let handle = set.handle {
                let connection = link.peripheral.handle
                peripheral.sendAdvertisingSetTerminated(handle, .success, connection: connection, set.events)
            }
        } else {
            link.peripheral.vanish()
        }
        link.begin()
    }

    /// CONNECT_IND. (Vol 6 Part B, 2.3.3.1)
    private static let connectRequestLength = 34
}
