/// All links of a capture, and the way of their packets up to the attribute protocol.
final class LinkTable {
    private(set) var links: [CapturedLink] = []
    /// What was left out because the capture has more than is kept.
    private(set) var omittedLinks = 0
    /// Whose addresses are, as far as it is known yet.
    var resolvingList: ResolvingList
    private unowned let events: any LinkEvents

    /// A capture of a day has some hundreds.
    private static let maximumLinks = 10_000

    /// L2CAP's fixed channels of LE.
    enum Channel {
        static let attribute: UInt16 = 0x0004
        static let signalling: UInt16 = 0x0005
        static let security: UInt16 = 0x0006
        static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
    }

    init(_ events: any LinkEvents, _ resolvingList: ResolvingList) {
        self.events = events
        self.resolvingList = resolvingList
    }

    /// A device has advertised.
    ///
    /// - Parameter reception: nil for what the host gave its own controller to advertise.
    func advertised(
        _ data: ArraySlice<UInt8>, by device: DeviceIdentity, isScanResponse: Bool, _ reception: Reception?,
        at mark: PacketMark
    ) {
        events.advertised(
            data, by: resolvingList.identity(of: device, at: mark), isScanResponse: isScanResponse, reception, at: mark)
    }

    /// Begins a link; nil if there are too many.
    func add(
        controller: UInt16, vantage: CapturedLink.Vantage, isRoleKnown: Bool = true, peripheral: DeviceIdentity,
        central: DeviceIdentity?, begin: PacketMark, isBeginKnown: Bool
    ) -> CapturedLink? {
        guard links.count < Self.maximumLinks else {
            omittedLinks += 1
            return nil
        }
        let link = CapturedLink(
            number: links.count, controller: controller, vantage: vantage, isRoleKnown: isRoleKnown,
            peripheral: peripheral, central: central, begin: begin, isBeginKnown: isBeginKnown)
        links.append(link)
        if isRoleKnown { settle(link) }
        return link
    }

    func end(_ link: CapturedLink, reason: UInt8?, at mark: PacketMark) {
        link.last = mark
        link.end = mark
        link.reason = reason
        link.close()
        if link.isRoleKnown { events.disconnected(link, at: mark) }
    }

    /// The roles of a link are known, perhaps only now if its beginning is not in the capture.
    func settle(_ link: CapturedLink) {
        link.isRoleKnown = true
        link.peripheral = resolvingList.identity(of: link.peripheral, at: link.begin)
        link.central = link.central.map { resolvingList.identity(of: $0, at: link.begin) }
        events.connected(link)
    }

    func encrypted(_ link: CapturedLink, at mark: PacketMark) { events.encrypted(link, at: mark) }

    // MARK: L2CAP

    /// Takes a PDU of L2CAP.
    func receive(
        _ pdu: PDUReassembly.PDU, _ direction: CapturedLink.Direction, on link: CapturedLink, at mark: PacketMark
    ) {
        link.last = mark
        if pdu.isTruncated { link.truncatedCount += 1 }
        switch pdu.channel {
        case Channel.attribute: receive(att: pdu, bearer: 0, direction, on: link, mark)
        case Channel.signalling: link.channels.receive(signals: pdu.payload[...], direction)
        case Channel.security:
            link.identities[direction.rawValue].receive(pdu.payload[...], &resolvingList, at: mark)
        case Channel.dynamic:
            guard let (channel, unit) = link.channels.receive(pdu, direction) else { break }
            if channel.isEATT {
                guard let unit else { break }
                receive(att: unit, bearer: channel.number, direction, on: link, mark)
            } else if link.channelBytes.count < 64 || link.channelBytes[channel.psm] != nil {
                link.channelBytes[channel.psm, default: 0] += pdu.payload.count
            }
        default: break
        }
    }

    private func receive(
        att pdu: PDUReassembly.PDU, bearer: Int, _ direction: CapturedLink.Direction, on link: CapturedLink,
        _ mark: PacketMark
    ) {
        link.attCount += 1
        events.received(
            ATTPacket(
                bytes: pdu.payload[...], isTruncated: pdu.isTruncated, direction: direction, bearer: bearer, mark: mark),
            on: link)
    }
}
