/// Hears everything in the air, and writes it down.
///
/// What controllers do is not changed by it: it does not use the random streams.
final class Sniffer {
    private unowned let radio: Radio
    private let output: (Instant, [UInt8]) -> Void
    private var links = 0

    init(_ radio: Radio, output: @escaping (Instant, [UInt8]) -> Void) {
        self.radio = radio
        self.output = output
    }

    private func write(_ packet: AirPacket) {
        output(radio.now, packet.bytes)
    }

    /// It is a metre away from everybody.
    private let signal: Int8 = -59
}

/// Advertising channels. (Core Specification, Vol 6 Part B, 2.3)
extension Sniffer {
    private enum PDU {
        static let advInd: UInt8 = 0
        static let directInd: UInt8 = 1
        static let nonconnInd: UInt8 = 2
        static let scanRequest: UInt8 = 3
        static let scanResponse: UInt8 = 4
        static let connectInd: UInt8 = 5
        static let scanInd: UInt8 = 6
        static let extended: UInt8 = 7
    }

    /// - Parameters:
    ///   - controller: who says whether it knows the channel selection algorithm #2 (ChSel), where PDUs do.
    ///   - auxiliary: the PHY of the secondary channel, if it is there.
    private func write(
        _ type: UInt8, from: DeviceAddress, to: DeviceAddress? = nil, of controller: Controller? = nil,
        auxiliary: PHY? = nil, _ payload: [UInt8]
    ) {
        var header = type
        if controller?.kind.knowsSecondAlgorithm == true { header |= 0x20 }
        if from.isRandom { header |= 0x40 }
        if to?.isRandom == true { header |= 0x80 }
        write(
            AirPacket(
                channel: auxiliary == nil ? 37 : Self.auxiliaryChannel, signal: signal,
                address: AirPacket.advertisingAddress, start: AirPacket.advertisingCRC, phy: auxiliary ?? .le1M,
                flags: auxiliary == nil ? 0 : AirPacket.Flag.isAuxiliary,
                header: (header, UInt8(truncatingIfNeeded: payload.count)), payload))
    }

    private static let auxiliaryChannel = 20

    func hear(_ set: AdvertisingSet) {
        guard set.has(AdvertisingSet.Property.legacy) else { return hearExtended(set, set.data) }
        let own = Self.bytes(set.address)
        if set.has(AdvertisingSet.Property.directed) {
            let target = Self.bytes(set.sentTarget)
            write(PDU.directInd, from: set.address, to: set.sentTarget, of: set.controller, own + target)
        } else if set.has(AdvertisingSet.Property.connectable) {
            write(PDU.advInd, from: set.address, of: set.controller, own + set.data)
        } else {
            let type = set.has(AdvertisingSet.Property.scannable) ? PDU.scanInd : PDU.nonconnInd
            write(type, from: set.address, own + set.data)
        }
    }

    func hearScan(from scanner: DeviceAddress, _ set: AdvertisingSet) {
        write(PDU.scanRequest, from: scanner, to: set.address, Self.bytes(scanner) + Self.bytes(set.address))
    }

    func hearScanResponse(_ set: AdvertisingSet) {
        guard set.has(AdvertisingSet.Property.legacy) else { return hearExtended(set, set.scanResponse) }
        write(PDU.scanResponse, from: set.address, Self.bytes(set.address) + set.scanResponse)
    }

    /// AUX_ADV_IND with address, identifiers and data; what would not fit into one packet is left out.
    private func hearExtended(_ set: AdvertisingSet, _ data: [UInt8]) {
        let mode: UInt8 =
            set.has(AdvertisingSet.Property.connectable) ? 1 : set.has(AdvertisingSet.Property.scannable) ? 2 : 0
        // Flags: the advertiser's address and the set with its data's number.
        let fields: [UInt8] = [0x09] + Self.bytes(set.address)
        let information = [UInt8](number: Int(set.dataIdentifier & 0xFFF) | Int(set.identifier) << 12)
        let extended = fields + information
        let payload = [UInt8(extended.count) | mode << 6] + extended + data.prefix(240)
        write(PDU.extended, from: set.address, auxiliary: set.secondaryPHY, payload)
    }

    /// CONNECT_IND or AUX_CONNECT_REQ, which says what a sniffer must know of the connection.
    func hearConnect(_ link: Link, _ set: AdvertisingSet) {
        links += 1
        var source = RandomSource(seed: UInt64(links))
        link.trace = LinkTrace(
            address: UInt32(truncatingIfNeeded: source.next()), start: UInt32(source.next() & 0xFF_FFFF),
            hasSecondAlgorithm: link.hasSecondAlgorithm)
        let parameters = link.parameters
        var payload = Self.bytes(link.central.ownAddress) + Self.bytes(link.central.peer.sent)
        payload += [UInt8](bits: UInt64(link.trace.address), count: 4)
        payload += [UInt8](bits: UInt64(link.trace.start), count: 3)
        payload += [1, 0, 0]  // the first event's window
        for number in [parameters.interval, parameters.latency, parameters.timeout] {
            payload += [UInt8](number: number)
        }
        payload += [0xFF, 0xFF, 0xFF, 0xFF, 0x1F, LinkTrace.hop]
        let (sender, receiver) = (link.central.ownAddress, link.central.peer.sent)
        if set.has(AdvertisingSet.Property.legacy) {
            write(PDU.connectInd, from: sender, to: receiver, of: link.central.controller, payload)
        } else {
            write(PDU.connectInd, from: sender, to: receiver, auxiliary: set.secondaryPHY, payload)
        }
    }

    private static func bytes(_ address: DeviceAddress) -> [UInt8] { [UInt8](bits: address.bits, count: 6) }
}

/// What a sniffer knows of a connection.
struct LinkTrace {
    var address: UInt32 = 0
    /// With what the CRC begins.
    var start: UInt32 = 0
    var hasSecondAlgorithm = false
    /// Sequence numbers: of the next packet from the central, and from the peripheral.
    var numbers = (false, false)
    var events = 0

    /// Channels between the events, with the algorithm #1.
    static let hop: UInt8 = 7
    var channel: Int {
        hasSecondAlgorithm
            ? Self.channel(of: UInt16(truncatingIfNeeded: events), address) : (events + 1) * Int(Self.hop) % 37
    }

    /// The channel of an event by the algorithm #2, as all channels are used. (Vol 6 Part B, 4.5.8.3)
    static func channel(of event: UInt16, _ address: UInt32) -> Int {
        let identifier = UInt16(truncatingIfNeeded: address >> 16 ^ address)
        var number = event ^ identifier
        for _ in 0..<3 { number = permuted(number) &* 17 &+ identifier }
        return Int(number ^ identifier) % 37
    }

    /// Each byte with its bits in reverse.
    private static func permuted(_ number: UInt16) -> UInt16 {
        var permuted: UInt16 = 0
        for bit: UInt16 in 0..<16 where number >> bit & 1 == 1 { permuted |= 1 << (bit < 8 ? 7 - bit : 23 - bit) }
        return permuted
    }
}

/// Data channels. (Core Specification, Vol 6 Part B, 2.4)
extension Sniffer {
    /// A part of a host's packet, or nothing.
    func hear(_ connection: Connection, _ payload: some Collection<UInt8>, isStart: Bool) {
        write(connection, payload.isEmpty || !isStart ? 1 : 2, payload)
    }

    func hear(_ connection: Connection, _ control: ControlPDU, _ content: [UInt8]) {
        write(connection, 3, [control.rawValue] + content)
    }

    private func write(_ connection: Connection, _ kind: UInt8, _ payload: some Collection<UInt8>) {
        let link = connection.link
        let numbers = link.trace.numbers
        let (own, other) = connection.isCentral ? numbers : (numbers.1, numbers.0)
        let header = kind | (other ? 0x04 : 0) | (own ? 0x08 : 0)
        if connection.isCentral { link.trace.numbers.0.toggle() } else { link.trace.numbers.1.toggle() }
        if !link.isReal { link.trace.events += 1 }
        var flags = connection.isCentral ? AirPacket.Flag.isFromCentral : AirPacket.Flag.isFromPeripheral
        if link.encryption == .on { flags |= AirPacket.Flag.isDecrypted }
        write(
            AirPacket(
                channel: link.trace.channel, signal: signal, address: link.trace.address, start: link.trace.start,
                phy: link.phy, flags: flags, header: (header, UInt8(truncatingIfNeeded: payload.count)), payload))
    }
}
