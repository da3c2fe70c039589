/// The peripherals that a scan has found. Throttles repeated sightings, ignores silenced peripherals, and knows which
/// ones have not been seen for too long.
struct DiscoveryList {
    /// For how many seconds a peripheral stays in the list without being sighted.
    static let lifetime: TimeInterval = 15

    /// The discoveries in the order in which they were first seen.
    private(set) var discoveries: [ScanDiscovery] = []
    private var positions: [UUID: Int] = [:]
    private var silenced: Set<UUID> = []
    private var lastSighted: [UUID: TimeInterval] = [:]
    private let throttleRSSIDelta: Int

    /// - Parameter throttleRSSIDelta: by how many dBm the signal strength must have changed since the last accepted
    ///   sighting for another one to be accepted.
    init(throttleRSSIDelta: Int) {
        self.throttleRSSIDelta = throttleRSSIDelta
    }

    /// Adds a sighting.
    ///
    /// - Returns: whether to report it. If so, it is in the list.
    mutating func accept(_ discovery: ScanDiscovery, at time: TimeInterval) -> Bool {
        let identifier = discovery.peripheralIdentifier.uuid
        if silenced.contains(identifier) { return false }
        lastSighted[identifier] = time
        guard let position = positions[identifier] else {
            positions[identifier] = discoveries.count
            discoveries.append(discovery)
            return true
        }
        guard abs(discoveries[position].rssi - discovery.rssi) >= throttleRSSIDelta else { return false }
        discoveries[position] = discovery
        return true
    }

    /// Removes a peripheral from the list and starts ignoring it.
    mutating func silence(_ identifier: PeripheralIdentifier) {
        silenced.insert(identifier.uuid)
        remove(identifier.uuid)
    }

    /// When the next peripheral expires, unless it is seen before.
    var nextExpiry: TimeInterval? {
        lastSighted.values.min().map { $0 + Self.lifetime }
    }

    /// Removes the first peripheral that has not been seen for too long.
    mutating func removeExpired(at time: TimeInterval) -> ScanDiscovery? {
        let isExpired = { (discovery: ScanDiscovery) in
            (lastSighted[discovery.peripheralIdentifier.uuid] ?? time) + Self.lifetime <= time
        }
        guard let lost = discoveries.first(where: isExpired) else { return nil }
        remove(lost.peripheralIdentifier.uuid)
        return lost
    }

    private mutating func remove(_ identifier: UUID) {
        lastSighted[identifier] = nil
        guard let position = positions.removeValue(forKey: identifier) else { return }
        discoveries.remove(at: position)
        for later in position..<discoveries.count {
            positions[discoveries[later].peripheralIdentifier.uuid] = later
        }
    }
}
