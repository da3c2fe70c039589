/// The connection-oriented channels of a link, which L2CAP's signals open and close. Specification: Core 5.4, Vol 3,
/// Part A, 4.22 to 4.27.
struct ChannelTable {
    struct Channel {
        /// Counted from 1 on each link.
        let number: Int
        let psm: UInt16
        /// The service data unit that is being received, in each direction.
        fileprivate var units = [Unit(), Unit()]

        var isEATT: Bool { psm == ChannelTable.eattPSM }
    }

    fileprivate struct Unit {
        var bytes: [UInt8] = []
        /// nil between two units.
        var length: Int?
        var isTruncated = false
    }

    /// A channel's end: the identifier is the receiver's.
    private struct End: Hashable {
        let direction: CapturedLink.Direction
        let channel: UInt16
    }

    /// A request that is not answered yet.
    private struct Request {
        let psm: UInt16
        /// The requester's identifiers.
        let sources: [UInt16]
    }

    /// Both sides count their requests, and may use the same number at the same time.
    private struct RequestKey: Hashable {
        /// That of the request.
        let direction: CapturedLink.Direction
        let identifier: UInt8
    }

    static let eattPSM: UInt16 = 0x0027
    /// Links have a few; what is beyond it is damage.
    private static let maximumChannels = 16
    private static let maximumRequests = 16

    private var channels: [Int: Channel] = [:]
    private var ends: [End: Int] = [:]
    private var requests: [RequestKey: Request] = [:]
    private var count = 0

    // MARK: Signals

    /// Takes the payload of the signalling channel.
    mutating func receive(signals payload: ArraySlice<UInt8>, _ direction: CapturedLink.Direction) {
        var cursor = ByteCursor(payload)
        while let code = cursor.u8(), let identifier = cursor.u8(), let length = cursor.u16(),
            let data = cursor.bytes(Int(length))
        {
            receive(code, identifier, ByteCursor(data), direction)
        }
    }

    private mutating func receive(
        _ code: UInt8, _ identifier: UInt8, _ data: ByteCursor, _ direction: CapturedLink.Direction
    ) {
        var data = data
        switch code {
        // Disconnection response: the identifiers of the two ends, first that of who responds. Linux (6.12) confuses
        // the other one's after it has asked for several channels at once.
        case 0x07:
            guard let destination = data.u16() else { return }
            close(End(direction: direction.opposite, channel: destination))
        // LE credit-based connection request and response.
        case 0x14:
            guard let psm = data.u16(), let source = data.u16() else { return }
            add(Request(psm: psm, sources: [source]), .init(direction: direction, identifier: identifier))
        case 0x15:
            guard let destination = data.u16(), data.skip(6), let result = data.u16() else { return }
            open(
                .init(direction: direction.opposite, identifier: identifier),
                destinations: result == 0 ? [destination] : [])
        // Credit-based connection request and response, for up to five channels.
        case 0x17:
            guard let psm = data.u16(), data.skip(6) else { return }
            var sources: [UInt16] = []
            while sources.count < 5, let source = data.u16() { sources.append(source) }
            add(Request(psm: psm, sources: sources), .init(direction: direction, identifier: identifier))
        case 0x18:
            guard data.skip(8) else { return }
            var destinations: [UInt16] = []
            while destinations.count < 5, let destination = data.u16() { destinations.append(destination) }
            open(.init(direction: direction.opposite, identifier: identifier), destinations: destinations)
        default: break
        }
    }

    private mutating func add(_ request: Request, _ key: RequestKey) {
        guard requests.count < Self.maximumRequests else { return }
        requests[key] = request
    }

    /// - Parameter destinations: 0 for what was refused.
    private mutating func open(_ key: RequestKey, destinations: [UInt16]) {
        guard let request = requests.removeValue(forKey: key) else { return }
        for (source, destination) in zip(request.sources, destinations) where destination != 0 {
            guard channels.count < Self.maximumChannels else { return }
            count += 1
            channels[count] = Channel(number: count, psm: request.psm)
            ends[End(direction: key.direction, channel: destination)] = count
            ends[End(direction: key.direction.opposite, channel: source)] = count
        }
    }

    private mutating func close(_ end: End) {
        guard let number = ends[end] else { return }
        channels[number] = nil
        ends = ends.filter { $0.value != number }
    }

    // MARK: Data

    /// Takes a PDU of a channel.
    ///
    /// - Returns: the channel, and the service data unit if it is complete; nil if there is no such channel.
    mutating func receive(
        _ pdu: PDUReassembly.PDU, _ direction: CapturedLink.Direction
    ) -> (channel: Channel, unit: PDUReassembly.PDU?)? {
        guard let number = ends[End(direction: direction, channel: pdu.channel)], var channel = channels[number] else {
            return nil
        }
        // Of others only the bytes are counted.
        guard channel.isEATT else { return (channel, nil) }
        let complete = channel.units[direction.rawValue].add(pdu)
        channels[number] = channel
        return (channel, complete)
    }
}

extension ChannelTable.Unit {
    /// No PDU of the attribute protocol is as long. Specification: Core 5.4, Vol 3, Part F, 3.2.9.
    private static let maximumLength = 4096

    /// Only the first PDU of a unit has the unit's length in front.
    fileprivate mutating func add(_ pdu: PDUReassembly.PDU) -> PDUReassembly.PDU? {
        var cursor = ByteCursor(pdu.payload[...])
        if length == nil {
            guard let length = cursor.u16() else { return nil }
            self.length = Int(length)
        }
        guard let length, length <= Self.maximumLength else {
            self = ChannelTable.Unit()
            return nil
        }
        if !isTruncated { bytes += cursor.rest }
        isTruncated = isTruncated || pdu.isTruncated
        // Of what is cut off it is not known where it ends: the next PDU begins a unit.
        guard isTruncated || bytes.count >= length else { return nil }
        defer { self = ChannelTable.Unit() }
        return PDUReassembly.PDU(
            channel: pdu.channel, payload: Array(bytes.prefix(length)), isTruncated: isTruncated || bytes.count < length
        )
    }
}
