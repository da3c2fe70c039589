/// Advertising sets. (Core Specification, Vol 4 Part E, 7.8.52 to 7.8.60)
extension Controller {
    static let extendedAdvertisingCommands = [
        Command(0x2035, length: 7, supported: (36, 1), since: .v5_3, setAdvertisingSetRandomAddress),
        Command(0x2036, length: 25, supported: (36, 2), since: .v5_3, setExtendedAdvertisingParameters),
        Command(0x2037, length: nil, supported: (36, 3), since: .v5_3, setExtendedAdvertisingData),
        Command(0x2038, length: nil, supported: (36, 4), since: .v5_3, setExtendedScanResponseData),
        Command(0x2039, length: nil, supported: (36, 5), since: .v5_3, setExtendedAdvertisingEnable),
        Command(0x203A, length: 0, supported: (36, 6), since: .v5_3, readMaximumAdvertisingDataLength),
        Command(0x203B, length: 0, supported: (36, 7), since: .v5_3, readNumberOfAdvertisingSets),
        Command(0x203C, length: 1, supported: (37, 0), since: .v5_3, removeAdvertisingSet),
        Command(0x203D, length: 0, supported: (37, 1), since: .v5_3, clearAdvertisingSets),
    ]

    private static let maximumSets = 5
    private static let maximumDataLength = 1_650
    private static let legacyData = 31

    private typealias Property = AdvertisingSet.Property

    private func set(_ handle: UInt8) throws(ErrorCode) -> AdvertisingSet {
        guard let set = advertisingSets.first(where: { $0.handle == handle }) else {
            throw .unknownAdvertisingIdentifier
        }
        return set
    }

    private func setAdvertisingSetRandomAddress(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let set = try set(parameters.byte(0))
        guard !set.isEnabled || !set.has(Property.connectable) else { throw .commandDisallowed }
        set.randomAddress = parameters.address(1, isRandom: true)
        return .success
    }

    private func setExtendedAdvertisingParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let handle = parameters.byte(0)
        let properties = parameters.number(1)
        guard handle <= 0xEF, Self.areValid(properties), parameters.longNumber(3) <= parameters.longNumber(6),
            parameters.byte(9) & 7 != 0, parameters.byte(10) <= 3, parameters.byte(11) <= 1, parameters.byte(18) <= 3,
            let primary = PHY(rawValue: parameters.byte(20)), primary != .le2M,
            let secondary = PHY(rawValue: properties & Property.legacy == 0 ? parameters.byte(22) : 1),
            properties & Property.legacy == 0 || primary == .le1M, parameters.byte(23) <= 0x0F
        else { throw .invalidParameters }
        let isHighDuty = properties & Property.highDuty != 0
        guard isHighDuty || parameters.longNumber(3) >= 0x20 else { throw .unsupportedFeature }
        let target = try parameters.typedAddress(11)
        let known = advertisingSets.first { $0.handle == handle }
        guard known?.isEnabled != true else { throw .commandDisallowed }
        guard known != nil || advertisingSets.count < Self.maximumSets else { throw .memoryExceeded }
        let set = known ?? AdvertisingSet(self, handle: handle)
        guard properties & Property.legacy == 0 || max(set.data.count, set.scanResponse.count) <= Self.legacyData else {
            throw .invalidParameters
        }
        if known == nil { advertisingSets.append(set) }
        set.properties = properties
        set.interval = isHighDuty ? Self.highDutyInterval : parameters.longNumber(3) * Span.slot
        set.ownType = OwnAddressType(parameters.byte(10))
        set.target = target
        set.filterPolicy = set.has(Property.directed) ? 0 : parameters.byte(18)
        set.primaryPHY = primary
        set.secondaryPHY = secondary
        set.identifier = parameters.byte(23)
        set.notifiesScanRequests = parameters.byte(24) & 1 == 1
        return Reply(parameters: [UInt8(bitPattern: Self.transmitPower)])
    }

    /// Of legacy packets only some combinations exist; extended ones cannot be both connectable and scannable.
    private static func areValid(_ properties: Int) -> Bool {
        guard properties & Property.legacy == 0 else {
            return [0x13, 0x15, 0x1D, 0x12, 0x10].contains(properties)
        }
        let both = Property.connectable | Property.scannable
        guard properties & both != both, properties & Property.highDuty == 0 else { return false }
        return properties & Property.anonymous == 0 || properties & both == 0
    }

    private func setExtendedAdvertisingData(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let set = try set(parameters.byte(0))
        // Data goes into the response of scannable extended packets.
        let hasData = set.has(Property.legacy) || !set.has(Property.scannable)
        guard hasData, !(set.properties == 0x15 || set.properties == 0x1D) else { throw .invalidParameters }
        if let data = try received(parameters, set, set.data, &set.unfinishedData) { set.data = data }
        set.hasten()
        return .success
    }

    private func setExtendedScanResponseData(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let set = try set(parameters.byte(0))
        // Linux empties the response of sets that have none.
        guard set.has(Property.scannable) || parameters.byte(3) == 0 else { throw .invalidParameters }
        if let data = try received(parameters, set, set.scanResponse, &set.unfinishedScanResponse) {
            set.scanResponse = data
        }
        set.hasten()
        return .success
    }

    /// Takes one command's part of the data. Returns the data once it is complete.
    private func received(
        _ parameters: Parameters, _ set: AdvertisingSet, _ current: [UInt8], _ unfinished: inout [UInt8]?
    ) throws(ErrorCode) -> [UInt8]? {
        let operation = parameters.byte(1)
        let length = Int(parameters.byte(3))
        guard parameters.count >= 4, parameters.count == 4 + length, operation <= 4 else { throw .invalidParameters }
        let part = parameters.slice(4, length)
        let most = set.has(Property.legacy) ? Self.legacyData : Self.maximumDataLength
        if operation == 3 {
            unfinished = nil
            guard length <= most else { throw .invalidParameters }
            return part
        }
        if operation == 4 {
            guard set.isEnabled, length == 0, !current.isEmpty else { throw .invalidParameters }
            return current
        }
        guard !set.isEnabled else { throw .commandDisallowed }
        guard !set.has(Property.legacy), length > 0 else { throw .invalidParameters }
        let before = operation == 1 ? [] : unfinished
        guard let before else { throw .invalidParameters }
        guard before.count + length <= most else {
            unfinished = nil
            throw .memoryExceeded
        }
        unfinished = before + part
        guard operation == 2 else { return nil }
        defer { unfinished = nil }
        return unfinished
    }

    private func setExtendedAdvertisingEnable(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let count = Int(parameters.byte(1))
        guard parameters.count >= 2, parameters.count == 2 + 4 * count, parameters.byte(0) <= 1 else {
            throw .invalidParameters
        }
        let isOn = parameters.byte(0) == 1
        guard count > 0 else {
            guard !isOn else { throw .invalidParameters }
            for set in advertisingSets { set.disable() }
            return .success
        }
        var chosen: [AdvertisingSet] = []
        for index in 0..<count {
            let set = try set(parameters.byte(2 + 4 * index))
            guard !chosen.contains(where: { $0 === set }) else { throw .invalidParameters }
            if isOn { try requireReady(set, duration: parameters.number(3 + 4 * index)) }
            chosen.append(set)
        }
        for (index, set) in chosen.enumerated() {
            if isOn {
                let duration = parameters.number(3 + 4 * index) * Span.timeoutUnit
                let isHighDuty = set.has(Property.highDuty)
                set.enable(
                    duration: isHighDuty ? min(duration, Self.highDutyDuration) : duration,
                    maximumEvents: Int(parameters.byte(5 + 4 * index)))
            } else {
                set.disable()
            }
        }
        return .success
    }

    private func requireReady(_ set: AdvertisingSet, duration: Int) throws(ErrorCode) {
        guard set.hasAddress else { throw .invalidParameters }
        guard set.unfinishedData == nil, set.unfinishedScanResponse == nil else { throw .commandDisallowed }
        let needsResponse = set.has(Property.scannable) && !set.has(Property.legacy)
        guard !needsResponse || !set.scanResponse.isEmpty else { throw .commandDisallowed }
        guard !set.has(Property.highDuty) || duration > 0 else { throw .invalidParameters }
    }

    private func readMaximumAdvertisingDataLength(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(number: Self.maximumDataLength))
    }

    private func readNumberOfAdvertisingSets(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: [UInt8(Self.maximumSets)])
    }

    private func removeAdvertisingSet(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        let set = try set(parameters.byte(0))
        guard !set.isEnabled else { throw .commandDisallowed }
        advertisingSets.removeAll { $0 === set }
        return .success
    }

    private func clearAdvertisingSets(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.extended)
        guard !advertisingSets.contains(where: \.isEnabled) else { throw .commandDisallowed }
        advertisingSets = []
        return .success
    }

    func sendAdvertisingSetTerminated(_ handle: UInt8, _ status: ErrorCode, connection: Int, _ events: Int) {
        guard let event = begin(.advertisingSetTerminated) else { return }
        event.add(status)
        event.add(handle)
        event.add(connection)
        event.add(UInt8(clamping: events))
        send(event)
    }
}
