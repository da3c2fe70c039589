/// Follows the traffic between hosts and their controllers: which links there are, and what is advertised.
/// Specification: Core 5.4, Vol 4, Part E.
final class HCILinks {
    private struct Key: Hashable {
        let controller: UInt16
        let handle: UInt16
    }

    private let table: LinkTable
    private var links: [Key: CapturedLink] = [:]
    /// Links of BR/EDR, whose packets are not read.
    private var classic: Set<Key> = []
    private var advertisers: [UInt16: OwnAdvertiser] = [:]
    private var reports = AdvertisingReports()
    /// The devices of classic links, and how many packets these had.
    private(set) var classicAddresses: Set<DeviceAddress> = []
    private(set) var classicCount = 0
    /// Packets of channels whose opening is not in the capture.
    private(set) var unknownCount = 0

    private static let maximumControllers = 64
    /// A controller has tens at a time.
    private static let maximumLinks = 256
    /// L2CAP's fixed channels of BR/EDR: signalling, connectionless, security.
    private static let classicChannels: Set<UInt16> = [0x0001, 0x0002, 0x0007]
    private static let maximumClassic = 1000

    init(_ table: LinkTable) {
        self.table = table
    }

    /// How a controller's own side is called.
    private func own(_ controller: UInt16) -> DeviceIdentity {
        advertisers[controller]?.identity ?? .host(controller: controller)
    }

    private func withAdvertiser(_ controller: UInt16, _ body: (inout OwnAdvertiser) -> Void) {
        guard advertisers[controller] != nil || advertisers.count < Self.maximumControllers else { return }
        body(&advertisers[controller, default: OwnAdvertiser(controller: controller)])
    }

    // MARK: Commands and events

    func receive(address: DeviceAddress, of controller: UInt16, isNew: Bool) {
        withAdvertiser(controller) { $0.publicAddress = address }
    }

    func receive(command bytes: ArraySlice<UInt8>, controller: UInt16, at mark: PacketMark) {
        var cursor = ByteCursor(bytes)
        guard let opcode = cursor.u16(), let length = cursor.u8() else { return }
        let parameters = cursor.rest.prefix(Int(length))
        if opcode == 0x2027 {
            return table.resolvingList.receive(
                addDevice: parameters, own: advertisers[controller]?.publicAddress, at: mark)
        }
        withAdvertiser(controller) { advertiser in
            advertiser.receive(opcode, ByteCursor(parameters)) { data, identity, isScanResponse in
                table.advertised(data, by: identity, isScanResponse: isScanResponse, nil, at: mark)
            }
        }
    }

    func receive(event bytes: ArraySlice<UInt8>, controller: UInt16, at mark: PacketMark) {
        var cursor = ByteCursor(bytes)
        guard let code = cursor.u8(), cursor.skip(1) else { return }
        switch code {
        case 0x03: classicConnected(cursor, controller)
        case 0x05:
            guard cursor.u8() == 0, let handle = cursor.u16(), let reason = cursor.u8() else { return }
            disconnected(Key(controller: controller, handle: handle & 0xFFF), reason, mark)
        // Encryption Change and, for a key that is refreshed, Encryption Key Refresh Complete.
        case 0x08, 0x30, 0x59:
            guard cursor.u8() == 0, let handle = cursor.u16() else { return }
            guard code == 0x30 || cursor.u8() != 0 else { return }
            guard let link = links[Key(controller: controller, handle: handle & 0xFFF)] else { return }
            link.isEncrypted = true
            if link.isRoleKnown { table.encrypted(link, at: mark) }
        case 0x0E:
            // Command Complete of Read BD_ADDR.
            guard cursor.skip(1), cursor.u16() == 0x1009, cursor.u8() == 0, let address = cursor.bytes(6) else {
                return
            }
            withAdvertiser(controller) { $0.publicAddress = DeviceAddress(address, isRandom: false) }
        case 0x10:
            // Hardware Error: the host starts its controller again.
            endAll(of: controller, mark)
        case 0x3E: receive(metaEvent: cursor, controller, mark)
        default: break
        }
    }

    private func receive(metaEvent cursor: ByteCursor, _ controller: UInt16, _ mark: PacketMark) {
        var cursor = cursor
        guard let subevent = cursor.u8() else { return }
        switch subevent {
        case 0x01, 0x0A, 0x29: connected(cursor, isEnhanced: subevent != 0x01, controller, mark)
        case 0x02, 0x0D:
            reports.receive(cursor, isExtended: subevent == 0x0D) { address, data, isScanResponse, reception in
                table.advertised(
                    data, by: .address(address), isScanResponse: isScanResponse, reception, at: mark)
            }
        default: break
        }
    }

    /// LE (Enhanced) Connection Complete, whose first parameters are the same. The enhanced event also has the
    /// resolvable private addresses of both sides behind the peer's identity address, or zeros.
    private func connected(_ cursor: ByteCursor, isEnhanced: Bool, _ controller: UInt16, _ mark: PacketMark) {
        var cursor = cursor
        guard cursor.u8() == 0, let handle = cursor.u16(), let role = cursor.u8(), let type = cursor.u8(),
            let bytes = cursor.bytes(6)
        else { return }
        let key = Key(controller: controller, handle: handle & 0xFFF)
        if links[key] != nil { disconnected(key, nil, mark) }
        makeRoom()
        classic.remove(key)
        let address = DeviceAddress(bytes, isRandom: type & 1 == 1)
        if isEnhanced, let own = cursor.bytes(6), let other = cursor.bytes(6) {
            note(own, of: advertisers[controller]?.publicAddress, mark)
            if type == 2 || type == 3 { note(other, of: address, mark) }
        }
        let peer = DeviceIdentity.address(address)
        let isCentral = role == 0
        links[key] = table.add(
            controller: controller, vantage: isCentral ? .central : .peripheral,
            peripheral: isCentral ? peer : own(controller), central: isCentral ? own(controller) : peer, begin: mark,
            isBeginKnown: true)
    }

    /// A private address that a controller has used or resolved.
    private func note(_ bytes: ArraySlice<UInt8>, of identity: DeviceAddress?, _ mark: PacketMark) {
        guard let identity else { return }
        table.resolvingList.add(DeviceAddress(bytes, isRandom: true), of: identity, .connection, mark)
    }

    private func classicConnected(_ cursor: ByteCursor, _ controller: UInt16) {
        var cursor = cursor
        guard cursor.u8() == 0, let handle = cursor.u16(), let bytes = cursor.bytes(6) else { return }
        guard classic.count < Self.maximumClassic, classicAddresses.count < Self.maximumClassic else { return }
        classic.insert(Key(controller: controller, handle: handle & 0xFFF))
        classicAddresses.insert(DeviceAddress(bytes, isRandom: false))
    }

    private func disconnected(_ key: Key, _ reason: UInt8?, _ mark: PacketMark) {
        classic.remove(key)
        guard let link = links.removeValue(forKey: key) else { return }
        table.end(link, reason: reason, at: mark)
    }

    /// Ends the link that was silent for longest, if there are too many.
    private func makeRoom() {
        guard links.count >= Self.maximumLinks,
            let oldest = links.min(by: { $0.value.last.number < $1.value.last.number })
        else { return }
        disconnected(oldest.key, nil, oldest.value.last)
    }

    private func endAll(of controller: UInt16, _ mark: PacketMark) {
        for key in links.keys.filter({ $0.controller == controller }) { disconnected(key, nil, mark) }
    }

    // MARK: Data

    func receive(acl bytes: ArraySlice<UInt8>, controller: UInt16, isReceived: Bool?, at mark: PacketMark) {
        var cursor = ByteCursor(bytes)
        guard let field = cursor.u16(), let length = cursor.u16() else { return }
        let key = Key(controller: controller, handle: field & 0xFFF)
        if classic.contains(key) { return classicCount += 1 }
        let boundary = field >> 12 & 3
        guard let link = links[key] ?? unknown(key, cursor, boundary, mark) else { return }
        let isFromController = isReceived ?? Self.guessIsFromController(boundary, link)
        let isToPeripheral = isFromController == (link.vantage == .peripheral)
        let direction: CapturedLink.Direction = isToPeripheral ? .toPeripheral : .toCentral
        let (pdu, fits) = link.reassembly[direction.rawValue].add(
            cursor.rest.prefix(Int(length)), length: Int(length), isFirst: boundary != 1)
        if !fits { link.incompleteCount += 1 }
        guard let pdu else { return }
        guard !link.isRoleKnown else { return table.receive(pdu, direction, on: link, at: mark) }
        settle(link, by: pdu, isFromController)
        guard link.isRoleKnown else { return }
        table.receive(
            pdu, isFromController == (link.vantage == .peripheral) ? .toPeripheral : .toCentral, on: link, at: mark)
    }

    /// Where a packet comes from, if the file does not say: only a host begins a PDU with 0, and only a controller with
    /// 2. What continues one belongs to the one that has begun, or most likely to the central's.
    private static func guessIsFromController(_ boundary: UInt16, _ link: CapturedLink) -> Bool {
        guard boundary == 1 else { return boundary == 2 }
        let isToPeripheral = link.reassembly[CapturedLink.Direction.toPeripheral.rawValue].isActive
        return isToPeripheral == (link.vantage == .peripheral)
    }

    /// A link whose beginning is not in the capture, if a PDU of LE begins with this packet.
    private func unknown(_ key: Key, _ cursor: ByteCursor, _ boundary: UInt16, _ mark: PacketMark) -> CapturedLink? {
        var cursor = cursor
        guard boundary != 1, cursor.skip(2), let channel = cursor.u16() else { return nil }
        guard [LinkTable.Channel.attribute, LinkTable.Channel.signalling, LinkTable.Channel.security].contains(channel)
        else {
            if Self.classicChannels.contains(channel) { classicCount += 1 } else { unknownCount += 1 }
            return nil
        }
        makeRoom()
        let link = table.add(
            controller: key.controller, vantage: .central, isRoleKnown: false,
            peripheral: .unknown(packet: mark.number),
            central: own(key.controller), begin: mark, isBeginKnown: false)
        links[key] = link
        return link
    }

    /// Guesses from a PDU who is the central: most often the one that sends requests.
    private func settle(_ link: CapturedLink, by pdu: PDUReassembly.PDU, _ isFromController: Bool) {
        guard let isFromCentral = pdu.isFromCentral else { return }
        if isFromCentral == isFromController {
            link.vantage = .peripheral
            link.central = link.peripheral
            link.peripheral = own(link.controller)
        }
        table.settle(link)
    }
}

extension PDUReassembly.PDU {
    /// Whether such a PDU is the central's; nil if both may send it.
    var isFromCentral: Bool? {
        guard let code = payload.first else { return nil }
        switch channel {
        case LinkTable.Channel.attribute:
            // Requests and commands of the client have even codes, and so has the server's Handle Value Confirmation's
            // counterpart: 0x1B and 0x1D are the server's, 0x1E is the client's.
            switch code {
            case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2: return true
            default: return false
            }
        // Connection Parameter Update Request and Response.
        case LinkTable.Channel.signalling: return code == 0x12 ? false : code == 0x13 ? true : nil
        // Pairing Request and Response, Security Request.
        case LinkTable.Channel.security: return code == 0x01 ? true : code == 0x02 || code == 0x0B ? false : nil
        default: return nil
        }
    }
}
