/// An attempt to connect.
final class Initiator {
    let ownType: OwnAddressType
    /// `nil`: any of the accept list.
    let peer: DeviceAddress?
    let isExtended: Bool
    /// On which it listens, a bit for each.
    let phys: UInt8
    let plan: ListeningPlan
    let parameters: ConnectionParameters

    init(
        ownType: OwnAddressType, peer: DeviceAddress?, isExtended: Bool, phys: UInt8, plan: ListeningPlan,
        parameters: ConnectionParameters
    ) {
        self.ownType = ownType
        self.peer = peer
        self.isExtended = isExtended
        self.phys = phys
        self.plan = plan
        self.parameters = parameters
    }

    var usesAcceptList: Bool { peer == nil }
}

/// An advertisement that a controller wants to answer with a request to connect.
struct ConnectRequest {
    let initiator: Initiator
    let set: AdvertisingSet
    /// The advertiser, as the initiator knows it.
    let advertiser: ResolvedAddress
    /// The initiator, as the advertiser knows it.
    let central: ResolvedAddress
}

/// Creating connections. (Core Specification, Vol 4 Part E, 7.8.12, 7.8.13, 7.8.66)
extension Controller {
    static let initiatingCommands = [
        Command(0x200D, length: 25, supported: (26, 4), answer: .status, createConnection),
        Command(0x200E, length: 0, supported: (26, 5), createConnectionCancel),
        Command(0x2043, length: nil, supported: (37, 7), since: .v5_3, answer: .status, extendedCreateConnection),
    ]

    private static let maximumConnections = 32

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
        guard connections.count < Self.maximumConnections else { throw .connectionLimitExceeded }
        if usesAcceptList == 0, connections.contains(where: { $0.peer.identity == peer }) { throw .connectionExists }
        let own = OwnAddressType(ownType)
        guard ownAddress(own, random: randomAddress, for: usesAcceptList == 0 ? peer : nil) != nil else {
            throw .invalidParameters
        }
        initiator = Initiator(
            ownType: own, peer: usesAcceptList == 1 ? nil : peer, isExtended: isExtended, phys: phys,
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
    func wants(_ set: AdvertisingSet) -> ConnectRequest? {
        guard let initiator, set.has(AdvertisingSet.Property.connectable) else { return nil }
        guard initiator.isExtended || set.has(AdvertisingSet.Property.legacy) else { return nil }
        guard connections.count < Self.maximumConnections, set.controller.connections.count < Self.maximumConnections
        else { return nil }
        guard let advertiser = resolve(set.address) else { return nil }
        if let peer = initiator.peer {
            guard peer == advertiser.identity || peer == advertiser.sent else { return nil }
        } else {
            guard acceptList.contains(advertiser.identity) else { return nil }
        }
        guard !connections.contains(where: { $0.peer.identity == advertiser.identity }),
            let own = ownAddress(initiator.ownType, random: randomAddress, for: advertiser.identity)
        else { return nil }
        if set.has(AdvertisingSet.Property.directed) {
            guard isTarget(set.sentTarget, of: advertiser, initiator.ownType),
                initiator.ownType.isResolvable || set.sentTarget == own
            else { return nil }
        }
        guard let central = set.controller.accepts(own, set) else { return nil }
        return ConnectRequest(initiator: initiator, set: set, advertiser: advertiser, central: central)
    }

    /// The sender of a request to connect to this controller, or `nil` if the request is to be ignored.
    private func accepts(_ address: DeviceAddress, _ set: AdvertisingSet) -> ResolvedAddress? {
        guard let central = resolve(address) else { return nil }
        if set.has(AdvertisingSet.Property.directed) {
            return address == set.sentTarget || central.identity == set.target ? central : nil
        }
        return set.filterPolicy & 2 == 0 || acceptList.contains(central.identity) ? central : nil
    }

    /// Connects to an advertiser, whose set is no longer advertised then.
    ///
    /// In real air the advertiser may miss the request. This controller does not know that, until it hears nothing.
    func connect(_ request: ConnectRequest) {
        initiator = nil
        radio.listenersChanged()
        let set = request.set
        let peripheral = set.controller
        let link = Link(
            radio, request.initiator.parameters, from: self, known: request.central, to: peripheral,
            known: request.advertiser)
        if !set.has(AdvertisingSet.Property.legacy) { link.phy = set.secondaryPHY }
        radio.add(link)
        radio.sniffer?.hearConnect(link, set)
        connections.append(link.central)
        sendConnectionComplete(link.central)
        if link.isRequestHeard(payload: Self.connectRequestLength) {
            set.disable()
            peripheral.connections.append(link.peripheral)
            peripheral.sendConnectionComplete(link.peripheral)
            if let handle = set.handle {
                let connection = link.peripheral.handle
                peripheral.sendAdvertisingSetTerminated(handle, .success, connection: connection, set.events)
            }
        } else {
            link.peripheral.drop()
        }
        link.begin()
    }

    /// CONNECT_IND. (Vol 6 Part B, 2.3.3.1)
    private static let connectRequestLength = 34
}
