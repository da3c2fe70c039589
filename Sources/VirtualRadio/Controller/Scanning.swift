/// Legacy scanning. (Core Specification, Vol 4 Part E, 7.8.10, 7.8.11, 7.7.65.2)
extension Controller {
    static let scanningCommands = [
        Command(0x200B, length: 7, supported: (26, 2), setScanParameters),
        Command(0x200C, length: 2, supported: (26, 3), setScanEnable),
    ]

    /// What the next scan is like.
    struct ScanParameters {
        var isActive = false
        var interval = 0x10 * Span.slot
        var window = 0x10 * Span.slot
        var ownType = OwnAddressType.publicAddress
        var filterPolicy: UInt8 = 0
        var phys: UInt8 = 1
    }

    private func setScanParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        guard scanner == nil else { throw .commandDisallowed }
        let interval = parameters.number(1)
        let window = parameters.number(3)
        guard parameters.byte(0) <= 1, (4...0x4000).contains(interval), 4 <= window, window <= interval,
            parameters.byte(5) <= 3, parameters.byte(6) <= 3
        else { throw .invalidParameters }
        scanParameters = ScanParameters(
            isActive: parameters.byte(0) == 1, interval: interval * Span.slot, window: window * Span.slot,
            ownType: OwnAddressType(parameters.byte(5)), filterPolicy: parameters.byte(6))
        return .success
    }

    private func setScanEnable(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        guard parameters.byte(0) <= 1, parameters.byte(1) <= 1 else { throw .invalidParameters }
        try enableScan(parameters.byte(0) == 1, isExtended: false, filtersDuplicates: parameters.byte(1) == 1)
        return .success
    }

    func enableScan(_ isOn: Bool, isExtended: Bool, filtersDuplicates: Bool) throws(ErrorCode) {
        guard isOn else {
            scanner = nil
            radio.listenersChanged()
            return
        }
        let plan = scanParameters
        guard !plan.ownType.isRandom || randomAddress != nil else { throw .invalidParameters }
        scanner = Scanner(
            self, isExtended: isExtended, plan, filtersDuplicates: filtersDuplicates,
            plan: ListeningPlan(interval: plan.interval, window: plan.window, began: radio.now))
        radio.listenersChanged()
        radio.hastenAdvertisers()
    }

    func sendReport(_ set: AdvertisingSet, _ address: ResolvedAddress, isResponse: Bool, _ strength: Int8) {
        guard let event = begin(.advertisingReport) else { return }
        let isDirected = set.has(AdvertisingSet.Property.directed)
        let data = isResponse ? set.scanResponse : isDirected ? [] : set.data
        event.add(UInt8(1))
        event.add(isResponse ? 0x04 : Self.reportType(set))
        event.addTyped(address)
        event.add(UInt8(data.count))
        event.add(data)
        event.add(UInt8(bitPattern: strength))
        send(event)
    }

    /// Of a directed advertisement to a resolvable address that this controller does not know. (7.7.65.11)
    func sendDirectedReport(_ set: AdvertisingSet, _ address: ResolvedAddress, _ strength: Int8) {
        guard let event = begin(.directedAdvertisingReport) else { return }
        event.add(UInt8(1))
        event.add(Self.reportType(set))
        event.addTyped(address)
        event.addTyped(set.sentTarget)
        event.add(UInt8(bitPattern: strength))
        send(event)
    }

    /// ADV_IND, ADV_DIRECT_IND, ADV_SCAN_IND, ADV_NONCONN_IND.
    private static func reportType(_ set: AdvertisingSet) -> UInt8 {
        if set.has(AdvertisingSet.Property.directed) { return 0x01 }
        if set.has(AdvertisingSet.Property.connectable) { return 0x00 }
        return set.has(AdvertisingSet.Property.scannable) ? 0x02 : 0x03
    }
}
