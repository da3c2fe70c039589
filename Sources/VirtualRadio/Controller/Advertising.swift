/// Legacy advertising. (Core Specification, Vol 4 Part E, 7.8.5 to 7.8.9)
extension Controller {
    static let advertisingCommands = [
        Command(0x2006, length: 15, supported: (25, 5), setAdvertisingParameters),
        Command(0x2007, length: 0, supported: (25, 6), readAdvertisingTransmitPower),
        Command(0x2008, length: 32, supported: (25, 7), setAdvertisingData),
        Command(0x2009, length: 32, supported: (26, 0), setScanResponseData),
        Command(0x200A, length: 1, supported: (26, 1), setAdvertisingEnable),
    ]

    /// After that directed advertising of high duty ends. (Vol 6 Part B, 4.4.2.4.3)
    static let highDutyDuration = 1_280 * Span.millisecond
    static let highDutyInterval = 3_750 * Span.microsecond

    /// The properties of the types that 7.8.5 lists: ADV_IND, ADV_DIRECT_IND (high duty), ADV_SCAN_IND,
    /// ADV_NONCONN_IND, ADV_DIRECT_IND (low duty).
    private static let legacyProperties = [0x13, 0x1D, 0x12, 0x10, 0x15]

    private func setAdvertisingParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        let set = legacySet
        guard !set.isEnabled else { throw .commandDisallowed }
        let type = Int(parameters.byte(4))
        let interval = parameters.number(0)...max(parameters.number(0), parameters.number(2))
        guard Self.legacyProperties.indices.contains(type), parameters.byte(5) <= 3, parameters.byte(6) <= 1,
            parameters.byte(13) & 7 != 0, parameters.byte(14) <= 3, parameters.number(0) <= parameters.number(2)
        else { throw .invalidParameters }
        let properties = Self.legacyProperties[type]
        let isHighDuty = properties & AdvertisingSet.Property.highDuty != 0
        guard isHighDuty || (0x20...0x4000).contains(interval.lowerBound) && interval.upperBound <= 0x4000 else {
            throw .unsupportedFeature
        }
        set.properties = properties
        set.interval = isHighDuty ? Self.highDutyInterval : interval.lowerBound * Span.slot
        set.ownType = OwnAddressType(parameters.byte(5))
        set.target = try parameters.typedAddress(6)
        set.filterPolicy = set.has(AdvertisingSet.Property.directed) ? 0 : parameters.byte(14)
        return .success
    }

    private func readAdvertisingTransmitPower(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        return Reply(parameters: [UInt8(bitPattern: Self.transmitPower)])
    }

    private func setAdvertisingData(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        legacySet.data = try legacyData(parameters)
        legacySet.hasten()
        return .success
    }

    private func setScanResponseData(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        legacySet.scanResponse = try legacyData(parameters)
        legacySet.hasten()
        return .success
    }

    private func legacyData(_ parameters: Parameters) throws(ErrorCode) -> [UInt8] {
        guard parameters.byte(0) <= 31 else { throw .invalidParameters }
        return parameters.slice(1, Int(parameters.byte(0)))
    }

    private func setAdvertisingEnable(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try use(.legacy)
        let set = legacySet
        switch parameters.byte(0) {
        case 0: set.disable()
        case 1:
            guard set.hasAddress else { throw .invalidParameters }
            set.enable(duration: set.has(AdvertisingSet.Property.highDuty) ? Self.highDutyDuration : 0)
        default: throw .invalidParameters
        }
        return .success
    }
}

extension Controller {
    /// Which of the commands the host uses: it may not mix legacy and extended ones. (Vol 4 Part E, 3.1.1)
    enum CommandFamily {
        case legacy
        case extended
    }

    func use(_ family: CommandFamily) throws(ErrorCode) {
        guard self.family == nil || self.family == family else { throw .commandDisallowed }
        self.family = family
    }

    /// What legacy advertising commands are about.
    var legacySet: AdvertisingSet {
        if let set = advertisingSets.first(where: { $0.handle == nil }) { return set }
        let set = AdvertisingSet(self, handle: nil)
        advertisingSets.append(set)
        return set
    }

    /// A set has come to its end by itself.
    func advertisingEnded(_ set: AdvertisingSet, _ status: ErrorCode) {
        set.disable()
        if let handle = set.handle { return sendAdvertisingSetTerminated(handle, status, connection: 0, set.events) }
        // Legacy advertising ends only when it is directed and of high duty.
        sendConnectionFailed(.advertisingTimeout, isCentral: false, peer: set.target)
    }
}
