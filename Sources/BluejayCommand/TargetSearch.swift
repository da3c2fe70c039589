import CoreBluetooth

extension AsyncCentral {
    /// For how long another device is looked for when one was found that perhaps cannot be connected to, in seconds.
    /// Longer than any usual advertising interval.
    private static let secondChoiceTime = 3.0

    /// Looks for a device to connect to.
    ///
    /// What cannot be connected to may have the name of what can: Linux gives such an advertisement the adapter's name
    /// and a non-resolvable private address. A device with such an address is taken only if no other one is found soon.
    ///
    /// - Parameters:
    ///   - services: only devices that advertise one of these; nil for all.
    ///   - limit: how long it may take, in seconds; nil for no limit.
    ///   - gathering: how long what the device advertises is gathered once it is found, in seconds: the response to a
    ///     scan comes by itself.
    ///   - isWanted: whether an advertisement is of the device.
    /// - Returns: the device's last advertisement; nil if none was found.
    func search(
        for services: [CBUUID]? = nil, within limit: Double?, gathering: Double = 0,
        isWanted: @escaping (Advertisement) -> Bool
    ) async throws(CentralError) -> Advertisement? {
        var found: Advertisement?
        var secondChoice: Advertisement?
        try await scan(for: services, reportsAll: gathering > 0, within: limit) { advertisement in
            guard isWanted(advertisement) else { return .goOn }
            if advertisement.peripheral.hasNonResolvableAddress {
                defer { secondChoice = advertisement }
                return secondChoice == nil ? .stopAfter(Self.secondChoiceTime) : .goOn
            }
            if let first = found {
                if first.peripheral.identifier == advertisement.peripheral.identifier { found = advertisement }
                return .goOn
            }
            found = advertisement
            return gathering > 0 ? .stopAfter(gathering) : .stop
        }
        return found ?? secondChoice
    }
}

extension AsyncCentral.Advertisement {
    /// The name in it; nil if it has none.
    var localName: String? { data[CBAdvertisementDataLocalNameKey] as? String }
}

extension CBPeripheral {
    /// For people to read.
    var displayName: String { name ?? "No Name" }

    /// Core Specification, Vol 6, Part B, 1.3.2.2: the two most significant bits are 0.
    fileprivate var hasNonResolvableAddress: Bool {
        guard bluetoothAddressIsRandom, let digit = bluetoothAddress?.first?.hexDigitValue else { return false }
        return digit < 4
    }
}
