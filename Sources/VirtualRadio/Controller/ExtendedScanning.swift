/// Extended scanning. (Core Specification, Vol 4 Part E, 7.8.64, 7.8.65, 7.7.65.13)
extension Controller {
    static let extendedScanningCommands = [
        Command(0x2041, length: nil, supported: (37, 5), since: .v5_3, setExtendedScanParameters),
        Command(0x2042, length: 6, supported: (37, 6), since: .v5_3, setExtendedScanEnable),
    ]

    private func setExtendedScanParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        guard scanner == nil else { throw .commandDisallowed }
        let phys = parameters.byte(2)
        // 1M and Coded.
        guard phys != 0, phys & ~5 == 0, parameters.count == 3 + 5 * phys.nonzeroBitCount, parameters.byte(0) <= 3,
            parameters.byte(1) <= 3
        else { throw .invalidParameters }
        for place in stride(from: 3, to: parameters.count, by: 5) {
            let interval = parameters.number(place + 1)
            let window = parameters.number(place + 3)
            guard parameters.byte(place) <= 1, interval >= 4, window >= 4, window <= interval else {
                throw .invalidParameters
            }
        }
        scanParameters = ScanParameters(
            isActive: parameters.byte(3) == 1, interval: parameters.number(4) * Span.slot,
            window: parameters.number(6) * Span.slot, ownType: OwnAddressType(parameters.byte(0)),
            filterPolicy: parameters.byte(1), phys: phys)
        return .success
    }

    private func setExtendedScanEnable(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let duration = parameters.number(2) * Span.timeoutUnit
        let period = parameters.number(4) * 1_280 * Span.millisecond
        guard parameters.byte(0) <= 1, parameters.byte(1) <= 2 else { throw .invalidParameters }
        guard period == 0 || duration > 0 && duration < period else { throw .invalidParameters }
        let isOn = parameters.byte(0) == 1
        try enableScan(isOn, isExtended: true, filtersDuplicates: parameters.byte(1) != 0)
        scanEnd.cancel()
        // A scan with a period goes on without a pause here.
        if isOn, duration > 0, period == 0 { scanEnd.set(in: duration) }
        return .success
    }

    func scanTimedOut() {
        scanner = nil
        radio.listenersChanged()
        if let event = begin(.scanTimeout) { send(event) }
    }

    /// Of a report the most data that fits into an event.
    private static let maximumReported = 229

    /// Reports in several events what does not fit into one.
    func sendExtendedReport(
        _ set: AdvertisingSet, _ address: ResolvedAddress, _ target: DirectedTarget, isResponse: Bool, _ strength: Int8
    ) {
        let isLegacy = set.has(AdvertisingSet.Property.legacy)
        let data = isResponse ? set.scanResponse : set.has(AdvertisingSet.Property.directed) && isLegacy ? [] : set.data
        var rest = data[...]
        repeat {
            let part = rest.prefix(Self.maximumReported)
            rest = rest.dropFirst(Self.maximumReported)
            guard let event = begin(.extendedAdvertisingReport) else { return }
            var type = set.properties & 0x17
            if isResponse { type |= 0x08 }
            if !rest.isEmpty { type |= 0x20 }  // more is to come
            event.add(UInt8(1))
            event.add(type)
            if set.has(AdvertisingSet.Property.anonymous) {
                event.add(UInt8(0xFF))
                event.add(0, bytes: 6)
            } else {
                event.addTyped(address)
            }
            event.add(set.primaryPHY.rawValue)
            event.add(isLegacy ? 0 : set.secondaryPHY.rawValue)
            event.add(isLegacy ? 0xFF : set.identifier)
            let hasPower = set.has(AdvertisingSet.Property.transmitPower)
            event.add(hasPower ? UInt8(bitPattern: Self.transmitPower) : 0x7F)
            event.add(UInt8(bitPattern: strength))
            event.add(0)  // no periodic advertising
            event.add(target.type)
            event.add(target.address)
            event.add(UInt8(part.count))
            event.add(part)
            send(event)
        } while !rest.isEmpty
    }
}
