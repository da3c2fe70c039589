/// Knows the devices of a capture: what they advertise, and what is said to them.
final class DeviceObserver: LinkEvents {
    private struct BearerKey: Hashable {
        let link: Int
        let bearer: Int
    }

    private(set) var devices: [DeviceIdentity: ObservedDevice] = [:]
    private(set) var omittedDevices = 0
    /// Answers to requests that the capture does not have.
    private(set) var strayCount = 0
    private var bearers: [BearerKey: ATTBearer] = [:]
    private var preparedWrites: [Int: PreparedWrites] = [:]
    private var budget = Budget()
    private var roomForDevices = DeviceObserver.maximumAdvertisers
    private let only: DeviceIdentity?

    /// How many devices without a link are kept: in a crowd a phone sees thousands, with addresses that change.
    private static let maximumAdvertisers = 5000

    /// - Parameter only: the device of which everything is kept; nil: of all.
    init(only: DeviceIdentity?) {
        self.only = only
    }

    var hasRunOut: Bool { budget.hasRunOut }

    private func device(_ identity: DeviceIdentity, _ mark: PacketMark) -> ObservedDevice {
        if let device = devices[identity] {
            device.last = mark
            return device
        }
        if devices.count >= roomForDevices { forgetAdvertisers() }
        let device = ObservedDevice(identity, mark)
        devices[identity] = device
        return device
    }

    /// Forgets those that only advertise and were not seen for longest. Half of them at once, so that this is rare.
    private func forgetAdvertisers() {
        let advertisers = devices.values.filter { $0.links.isEmpty && $0.identity != only }
        let oldest = advertisers.sorted { $0.last.number < $1.last.number }.prefix((advertisers.count + 1) / 2)
        for device in oldest { devices[device.identity] = nil }
        omittedDevices += oldest.count
        roomForDevices = devices.count - (advertisers.count - oldest.count) + Self.maximumAdvertisers
    }

    // MARK: Links

    func advertised(
        _ data: ArraySlice<UInt8>, by identity: DeviceIdentity, isScanResponse: Bool, _ reception: Reception?,
        at mark: PacketMark
    ) {
        let device = device(identity, mark)
        device.advertisementCount += 1
        if let reception { device.heard.add(data, isScanResponse: isScanResponse, reception, at: mark) }
        let isFirst = (isScanResponse ? device.scanResponseMark : device.advertisementMark) == nil
        guard device.advertising.add(data) || isFirst else { return }
        if !isFirst { device.advertisingChanges += 1 }
        if isScanResponse { device.scanResponseMark = mark } else { device.advertisementMark = mark }
    }

    func connected(_ link: CapturedLink) {
        let device = device(link.peripheral, link.begin)
        device.links.append(link)
        guard only == nil || only == link.peripheral else { return }
        device.sessions.append(
            Session(
                link: link.number, isBeginKnown: link.isBeginKnown, vantage: link.vantage,
                controller: link.controller))
        guard link.isBeginKnown else { return }
        add(.init(.connected, at: link.begin), to: device, link)
    }

    func encrypted(_ link: CapturedLink, at mark: PacketMark) {
        guard let device = devices[link.peripheral] else { return }
        add(.init(.encrypted, at: mark), to: device, link)
    }

    func disconnected(_ link: CapturedLink, at mark: PacketMark) {
        for key in bearers.keys.filter({ $0.link == link.number }) {
            guard var bearer = bearers.removeValue(forKey: key) else { continue }
            for exchange in bearer.end() { receive(exchange, on: link) }
            strayCount += bearer.strayCount
        }
        preparedWrites[link.number] = nil
        guard let device = devices[link.peripheral] else { return }
        add(.init(.disconnected(reason: link.reason), at: mark), to: device, link)
    }

    func received(_ packet: ATTPacket, on link: CapturedLink) {
        let key = BearerKey(link: link.number, bearer: packet.bearer)
        for exchange in bearers[key, default: ATTBearer()].receive(packet) { receive(exchange, on: link) }
    }

    /// The capture has ended: what is open stays open.
    func finish() {
        for key in Array(bearers.keys) {
            guard let bearer = bearers.removeValue(forKey: key) else { continue }
            strayCount += bearer.strayCount
        }
    }

    // MARK: Exchanges

    private func receive(_ exchange: ATTExchange, on link: CapturedLink) {
        guard let device = devices[link.peripheral] else { return }
        device.last = link.last
        guard exchange.isOfPeripheral else { return device.requestsToCentral += 1 }
        guard only == nil || only == link.peripheral else { return }
        if budget.hasRoomForAttributes {
            let count = device.table.count
            DiscoveryReader.read(exchange, into: &device.table)
            budget.attributes -= device.table.count - count
        }
        switch exchange.opcode {
        case ATTOpcode.prepareWriteRequest, ATTOpcode.executeWriteRequest:
            for event in preparedWrites[link.number, default: PreparedWrites()].receive(exchange) {
                receive(event, of: device, link)
            }
        case ATTOpcode.readBlobRequest: receive(blob: exchange, of: device, link)
        default:
            for event in ExchangeReader.events(exchange, device) { receive(event, of: device, link) }
        }
    }

    private func receive(_ observed: SessionEvent, of device: ObservedDevice, _ link: CapturedLink) {
        let event = observed.withinLimits
        switch event.kind {
        case .read(let handle, .success(let value)):
            guard budget.take(value.count) else { break }
            device.table.add(.init(bytes: value, mark: event.mark), at: handle)
        case .read(let handle, .error(let error)): refuse(handle, .read, error, event, device, link)
        case .write(let handle, _, _, .error(let error)): refuse(handle, .write, error, event, device, link)
        default: break
        }
        add(event, to: device, link)
    }

    private func refuse(
        _ handle: UInt16, _ use: ObservedTable.Refusal.Use, _ error: UInt8, _ event: SessionEvent,
        _ device: ObservedDevice, _ link: CapturedLink
    ) {
        guard !budget.hasRunOut else { return }
        device.table.add(
            .init(use: use, error: error, isLinkEncrypted: link.isEncrypted, mark: event.mark), at: handle)
    }

    /// A part of a long value belongs to the read before it.
    private func receive(blob exchange: ATTExchange, of device: ObservedDevice, _ link: CapturedLink) {
        var cursor = ByteCursor(exchange.parameters)
        guard let handle = cursor.u16(), let offset = cursor.u16().map({ Int($0) }) else { return }
        guard case .success(let part, let isTruncated) = exchange.answer else { return }
        guard let session = device.sessions.lastIndex(where: { $0.link == link.number }) else { return }
        guard let former = Self.read(of: handle, endingAt: offset, in: device.sessions[session]),
            former.value.count + part.count <= SessionEvent.maximumValueLength, budget.take(part.count)
        else {
            if offset == 0 {
                receive(
                    .init(
                        .read(handle, isTruncated ? .truncated : .success(Array(part))), at: exchange.mark,
                        answeredAt: exchange.answerMark), of: device, link)
            }
            return
        }
        device.sessions[session].events[former.index].kind =
            .read(handle, isTruncated ? .truncated : .success(former.value + part))
        device.table.append(part, isTruncated: isTruncated, at: handle, offset: offset, from: former.mark)
    }

    /// The read that a part continues. Other reads hardly ever come between, so it is not far back.
    private static func read(
        of handle: UInt16, endingAt offset: Int, in session: Session
    ) -> (index: Int, value: [UInt8], mark: PacketMark)? {
        for index in session.events.indices.suffix(16).reversed() {
            guard case .read(handle, .success(let value)) = session.events[index].kind, value.count == offset else {
                continue
            }
            return (index, value, session.events[index].mark)
        }
        return nil
    }

    private func add(_ event: SessionEvent, to device: ObservedDevice, _ link: CapturedLink) {
        guard let session = device.sessions.lastIndex(where: { $0.link == link.number }) else { return }
        guard budget.take(event) else { return device.sessions[session].omittedCount += 1 }
        device.sessions[session].events.append(event)
    }
}

/// How much of a capture is kept in memory.
struct Budget {
    private var events = 300_000
    private var bytes = 32 << 20
    /// Facts of discovery.
    var attributes = 200_000
    private(set) var hasRunOut = false

    var hasRoomForAttributes: Bool { attributes > 0 }

    mutating func take(_ count: Int) -> Bool {
        guard bytes >= count else {
            hasRunOut = true
            return false
        }
        bytes -= count
        return true
    }

    mutating func take(_ event: SessionEvent) -> Bool {
        let count: Int =
            switch event.kind {
            case .read(_, .success(let value)), .write(_, let value, _, _), .value(_, let value, _): value.count
            default: 0
            }
        guard events > 0 else {
            hasRunOut = true
            return false
        }
        guard take(count) else { return false }
        events -= 1
        return true
    }
}
