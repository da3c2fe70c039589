/// Where something was seen.
package struct PacketMark: Hashable, Sendable {
    /// The packet's number, from 1, as Wireshark counts.
    package let number: Int
    /// Microseconds since the beginning of 1970.
    package let time: Int64

    package init(number: Int, time: Int64) {
        self.number = number
        self.time = time
    }

    init(_ packet: CapturedPacket) {
        self.init(number: packet.number, time: packet.time)
    }
}

/// Who a device is: by its address, or by the first packet of a link whose beginning is not in the capture.
package enum DeviceIdentity: Hashable, Sendable {
    case address(DeviceAddress)
    /// The host of the capture, whose own address is not in it.
    case host(controller: UInt16)
    case unknown(packet: Int)

    package var address: DeviceAddress? {
        guard case .address(let address) = self else { return nil }
        return address
    }

    /// Its address or a word, as users choose it.
    package var text: String {
        switch self {
        case .address(let address): address.description
        case .host(let controller): "host-\(controller)"
        case .unknown(let packet): "unknown-\(packet)"
        }
    }
}

/// A link of two devices, as far as the capture has it.
package final class CapturedLink {
    /// Where a capture was made.
    package enum Vantage: String, Hashable, Sendable {
        /// At the host of the central: a phone, for most captures.
        case central
        /// At the host of the peripheral.
        case peripheral
        /// By a sniffer.
        case air
    }

    /// The way of a packet.
    package enum Direction: Int, Hashable, Sendable {
        case toPeripheral, toCentral

        package var opposite: Direction { self == .toPeripheral ? .toCentral : .toPeripheral }
    }

    /// From 0.
    package let number: Int
    /// The controller whose traffic was captured; 0 if there is only one, or for a sniffer.
    package let controller: UInt16
    package internal(set) var vantage: Vantage
    /// Whether ``vantage`` is known, or was guessed from who sends requests.
    package internal(set) var isRoleKnown: Bool
    package internal(set) var peripheral: DeviceIdentity
    package internal(set) var central: DeviceIdentity?
    package let begin: PacketMark
    package let isBeginKnown: Bool
    /// The last packet.
    package internal(set) var last: PacketMark
    package internal(set) var end: PacketMark?
    /// The HCI error code with which it ended.
    package internal(set) var reason: UInt8?
    package internal(set) var isEncrypted = false
    /// PDUs of the attribute protocol.
    package internal(set) var attCount = 0
    /// Packets that could not be read because they are encrypted.
    package internal(set) var encryptedCount = 0
    /// PDUs of which the capture has only the beginning.
    package internal(set) var truncatedCount = 0
    /// PDUs that do not continue what was before: a packet between them is missing.
    package internal(set) var incompleteCount = 0
    /// Bytes on L2CAP channels that are not of the attribute protocol, by their PSM.
    package internal(set) var channelBytes: [UInt16: Int] = [:]

    var reassembly = [PDUReassembly(), PDUReassembly()]
    var channels = ChannelTable()
    var identities = [IdentityDistribution(), IdentityDistribution()]

    init(
        number: Int, controller: UInt16, vantage: Vantage, isRoleKnown: Bool = true, peripheral: DeviceIdentity,
        central: DeviceIdentity?, begin: PacketMark, isBeginKnown: Bool
    ) {
        self.number = number
        self.controller = controller
        self.vantage = vantage
        self.isRoleKnown = isRoleKnown
        self.peripheral = peripheral
        self.central = central
        self.begin = begin
        self.isBeginKnown = isBeginKnown
        last = begin
    }

    /// Forgets what is needed only while packets come.
    func close() {
        reassembly = [PDUReassembly(), PDUReassembly()]
        channels = ChannelTable()
        identities = [IdentityDistribution(), IdentityDistribution()]
    }
}

/// A PDU of the attribute protocol on its link.
struct ATTPacket {
    let bytes: ArraySlice<UInt8>
    /// Whether the capture has only its beginning.
    let isTruncated: Bool
    let direction: CapturedLink.Direction
    /// 0: the fixed channel; others are enhanced bearers.
    let bearer: Int
    let mark: PacketMark
}

/// How a packet was received.
struct Reception {
    /// In dBm; nil if the capture does not say.
    let strength: Int?
}

/// What the lower layers report to the one that knows devices.
protocol LinkEvents: AnyObject {
    /// - Parameter reception: nil for what the host gave its own controller to advertise.
    func advertised(
        _ data: ArraySlice<UInt8>, by device: DeviceIdentity, isScanResponse: Bool, _ reception: Reception?,
        at mark: PacketMark)
    func connected(_ link: CapturedLink)
    func received(_ packet: ATTPacket, on link: CapturedLink)
    func encrypted(_ link: CapturedLink, at mark: PacketMark)
    func disconnected(_ link: CapturedLink, at mark: PacketMark)
}
