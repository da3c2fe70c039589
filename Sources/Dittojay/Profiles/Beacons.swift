import GATTProfiles

/// A simulated Eddystone beacon: what it is, an address on the web, and how it is, in turn.
public struct EddystoneBeacon: Hashable, Swift.Sendable {
    /// How long each frame is advertised, in seconds.
    public var interval: Double
    /// The address; one that is too long for a frame is left out.
    public var url: String

    public init(interval: Double = 2, url: String = "https://example.com/") {
        self.interval = min(max(interval, 0.5), 3600)
        self.url = url
    }
}

/// The frames of a beacon, one after another.
struct EddystoneFrames {
    private let beacon: EddystoneBeacon
    private var generator: SeededGenerator
    private var temperature = WanderingQuantity(18...27, step: 0.2)
    private var millivolts = 2970.0
    private var count = 0
    private let namespace: [UInt8]
    private let instance: [UInt8]
    /// The signal strength right at the beacon, in dBm.
    private static let power: Int8 = -18
    /// How many advertisements each frame is in.
    private let advertisementsPerFrame: Double
    /// What the controller adds to an interval on average, in seconds: from 0 to 10 ms. Specification: Bluetooth Core,
    /// Vol 6, Part B, 4.4.2.2.1.
    private static let averageDelay = 0.005

    /// - Parameter interval: between two advertisements, in seconds.
    init(_ beacon: EddystoneBeacon, seed: UInt64, interval: Double = ExtraAdvertisement.kernelInterval) {
        self.beacon = beacon
        // One at the beginning of each frame's turn.
        advertisementsPerFrame = 1 + (beacon.interval / (interval + Self.averageDelay)).rounded(.down)
        var generator = SeededGenerator(seed: seed)
        namespace = (0..<10).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        instance = (0..<6).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        self.generator = generator
    }

    /// The service data of the next frame.
    mutating func next() -> [UInt8] {
        defer { count += 1 }
        let uid = Eddystone.uid(namespace: namespace, instance: instance, power: Self.power)
        let frame: Eddystone
        switch count % 3 {
        case 1: frame = .url(beacon.url, power: Self.power)
        case 2:
            let seconds = Double(count) * beacon.interval
            millivolts = max(millivolts - generator.unit() * 0.2, 2000)
            frame = .telemetry(
                battery: UInt16(millivolts), temperature: Int16(temperature.next(&generator) * 256),
                advertisements: UInt32(truncatingIfNeeded: Int(Double(count) * advertisementsPerFrame)),
                uptime: UInt32(truncatingIfNeeded: Int(seconds * 10)))
        default: frame = uid
        }
        return frame.data ?? uid.data ?? []
    }
}

extension PeripheralProfile {
    /// The profiles of beacons, which have no services.
    static let beacons = [
        PeripheralProfile(
            name: "ibeacon", localName: "Dittojay",
            advertisement: ExtraAdvertisement(
                manufacturers: [
                    .init(
                        company: IBeacon.company,
                        data: IBeacon(
                            uuid: "F0AA0000-0000-4000-8000-000000000000", major: 1, minor: 2, measuredPower: -59
                        ).data)
                ], interval: 0.1),
            services: []),
        PeripheralProfile(
            name: "eddystone", localName: "Dittojay",
            advertisement: ExtraAdvertisement(eddystone: EddystoneBeacon(), interval: 0.1), services: []),
    ]
}
