/// Follows what a sniffer has received: advertisements and connections, as far as they are not encrypted.
/// Specification: Core 5.4, Vol 6, Part B, 2.
final class AirLinks {
    /// What is known of a connection besides what all links have.
    private struct Connection {
        let link: CapturedLink
        /// Whether frames are encrypted.
        var isEncrypted = false
        /// The last frame that was not empty, in each direction: its kind, its sequence number and its payload.
        var frames: [[UInt8]] = [[], []]
        /// When the last frame began, and who has sent it.
        var lastTime: Int64 = 0
        var lastLength = 0
        var isLastFromCentral = false

        /// How long the two sides may be apart within a connection event in microseconds, beyond the frame: 150, and
        /// what sniffers are inexact by.
        private static let maximumPause: Int64 = 300

        /// Guesses who sends the next frame, where the sniffer does not say: the central begins each connection event.
        func isNextFromCentral(at time: Int64) -> Bool {
            // Preamble, access address and CRC besides the PDU, at a byte in 8 microseconds.
            let airTime = Int64(8 * (lastLength + 8))
            return time - lastTime > airTime + Self.maximumPause || !isLastFromCentral
        }
    }

    private let table: LinkTable
    private var connections: [UInt32: Connection] = [:]
    private(set) var damagedCount = 0

    private static let maximumConnections = 256

    init(_ table: LinkTable) {
        self.table = table
    }

    func receive(_ frame: AirFrame, at mark: PacketMark) {
        guard !frame.isDamaged else { return damagedCount += 1 }
        if frame.isAdvertising { receive(advertising: frame, mark) } else { receive(data: frame, mark) }
    }

    // MARK: Advertising channels

    private func receive(advertising frame: AirFrame, _ mark: PacketMark) {
        var cursor = ByteCursor(frame.pdu)
        let reception = Reception(strength: frame.strength)
        guard let header = cursor.u8(), let length = cursor.u8() else { return }
        var payload = ByteCursor(cursor.rest.prefix(Int(length)))
        let isSenderRandom = header & 0x40 != 0
        switch header & 0xF {
        // ADV_IND, ADV_NONCONN_IND, SCAN_RSP, ADV_SCAN_IND
        case 0, 2, 4, 6:
            guard let address = payload.bytes(6) else { return }
            advertised(
                payload.rest, DeviceAddress(address, isRandom: isSenderRandom), header & 0xF == 4, reception, mark)
        // CONNECT_IND, AUX_CONNECT_REQ: who connects, to whom, and the access address of the connection.
        case 5:
            guard let central = payload.bytes(6), let peripheral = payload.bytes(6), let access = payload.u32() else {
                return
            }
            connect(
                access, central: DeviceAddress(central, isRandom: isSenderRandom),
                peripheral: DeviceAddress(peripheral, isRandom: header & 0x80 != 0), mark)
        // Extended advertising: a header of its own in front of the data.
        case 7:
            guard let form = payload.u8(), var extended = payload.bytes(Int(form & 0x3F)).map(ByteCursor.init),
                let flags = extended.u8(), flags & 1 == 1, let address = extended.bytes(6)
            else { return }
            // Of the two highest bits 2 is scannable, but what answers a scan request has 0, as others have.
            advertised(payload.rest, DeviceAddress(address, isRandom: isSenderRandom), false, reception, mark)
        default: break
        }
    }

    private func advertised(
        _ data: ArraySlice<UInt8>, _ address: DeviceAddress, _ isScanResponse: Bool, _ reception: Reception,
        _ mark: PacketMark
    ) {
        guard !data.isEmpty else { return }
        table.advertised(
            data, by: .address(address), isScanResponse: isScanResponse, reception, at: mark)
    }

    private func connect(
        _ access: UInt32, central: DeviceAddress, peripheral: DeviceAddress, _ mark: PacketMark
    ) {
        end(access, reason: nil, mark)
        makeRoom(mark)
        guard
            let link = table.add(
                controller: 0, vantage: .air, peripheral: .address(peripheral), central: .address(central), begin: mark,
                isBeginKnown: true)
        else { return }
        connections[access] = Connection(link: link)
    }

    private func end(_ access: UInt32, reason: UInt8?, _ mark: PacketMark) {
        guard let connection = connections.removeValue(forKey: access) else { return }
        table.end(connection.link, reason: reason, at: mark)
    }

    /// Ends the connection that was silent for longest, if there are too many: sniffers miss the ends of many.
    private func makeRoom(_ mark: PacketMark) {
        guard connections.count >= Self.maximumConnections,
            let oldest = connections.min(by: { $0.value.link.last.number < $1.value.link.last.number })
        else { return }
        end(oldest.key, reason: nil, oldest.value.link.last)
    }

    // MARK: Connections

    private func receive(data frame: AirFrame, _ mark: PacketMark) {
        var cursor = ByteCursor(frame.pdu)
        guard let header = cursor.u8(), let length = cursor.u8() else { return }
        if connections[frame.accessAddress] == nil { unknown(frame, header, cursor.rest, mark) }
        guard var connection = connections[frame.accessAddress] else { return }
        let isFromCentral = frame.isFromCentral ?? connection.isNextFromCentral(at: mark.time)
        connection.lastTime = mark.time
        connection.lastLength = frame.pdu.count
        connection.isLastFromCentral = isFromCentral
        let direction: CapturedLink.Direction = isFromCentral ? .toPeripheral : .toCentral
        var payload = cursor.rest.prefix(Int(length))
        // The same number again is the same frame again. The payload is compared as well: sniffers miss frames, and one
        // may have missed the frame with the other number.
        let content = [header & 0b1011] + payload
        let isNew = connection.frames[direction.rawValue] != content
        if length > 0 { connection.frames[direction.rawValue] = content }
        connections[frame.accessAddress] = connection
        guard isNew, length > 0 else { return }
        var whole = Int(length)
        if frame.isDecrypted {
            // The message integrity check is still there.
            whole -= 4
            payload = payload.prefix(max(whole, 0))
        } else if connection.isEncrypted {
            return connection.link.encryptedCount += 1
        }
        guard whole > 0 else { return }
        switch header & 3 {
        case 3: receive(control: payload, of: frame.accessAddress, mark)
        case 1, 2: receive(payload, length: whole, isFirst: header & 3 == 2, direction, connection.link, mark)
        default: break
        }
    }

    private func receive(control payload: ArraySlice<UInt8>, of access: UInt32, _ mark: PacketMark) {
        switch payload.first {
        // LL_TERMINATE_IND
        case 0x02: end(access, reason: payload.dropFirst().first, mark)
        // LL_START_ENC_REQ, the last one that is not encrypted
        case 0x05:
            guard let link = connections[access]?.link else { return }
            connections[access]?.isEncrypted = true
            link.isEncrypted = true
            table.encrypted(link, at: mark)
        default: break
        }
    }

    private func receive(
        _ payload: ArraySlice<UInt8>, length: Int, isFirst: Bool, _ direction: CapturedLink.Direction,
        _ link: CapturedLink, _ mark: PacketMark
    ) {
        let (pdu, fits) = link.reassembly[direction.rawValue].add(payload, length: length, isFirst: isFirst)
        if !fits { link.incompleteCount += 1 }
        if let pdu { table.receive(pdu, direction, on: link, at: mark) }
    }

    /// A connection whose beginning is not in the capture, if a PDU of L2CAP begins with this frame. What is encrypted
    /// does not look like one, but for few exceptions.
    private func unknown(_ frame: AirFrame, _ header: UInt8, _ payload: ArraySlice<UInt8>, _ mark: PacketMark) {
        var cursor = ByteCursor(payload)
        guard header & 3 == 2, let length = cursor.u16(), let channel = cursor.u16(), length <= 0x400,
            [LinkTable.Channel.attribute, LinkTable.Channel.signalling, LinkTable.Channel.security].contains(channel)
        else { return }
        makeRoom(mark)
        guard
            let link = table.add(
                controller: 0, vantage: .air, peripheral: .unknown(packet: mark.number), central: nil, begin: mark,
                isBeginKnown: false)
        else { return }
        connections[frame.accessAddress] = Connection(link: link)
    }
}
