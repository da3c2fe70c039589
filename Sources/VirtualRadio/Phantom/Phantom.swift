/// A device without a host, which advertises.
public struct Phantom: Sendable, Equatable {
    public var address: DeviceAddress
    /// Advertising data as it is sent: up to 31 bytes.
    public var data: [UInt8]
    /// What it answers to scanners that ask for more: up to 31 bytes. One without is not scannable.
    public var scanResponse: [UInt8]
    /// In nanoseconds.
    public var interval: Int
    public var position: Position
    /// In dB, of everything that it sends and receives.
    public var attenuation: Double

    /// The intervals that legacy advertising has: 20 ms to 10.24 s.
    public static let intervals = 20 * Span.millisecond...10_240 * Span.millisecond
    /// In bytes.
    public static let maximumDataLength = 31

    /// What is too long or too short is cut.
    public init(
        address: DeviceAddress, data: [UInt8], scanResponse: [UInt8] = [], interval: Int = 100 * Span.millisecond,
        position: Position, attenuation: Double = 0
    ) {
        self.address = address
        self.data = Array(data.prefix(Self.maximumDataLength))
        self.scanResponse = Array(scanResponse.prefix(Self.maximumDataLength))
        self.interval = min(max(interval, Self.intervals.lowerBound), Self.intervals.upperBound)
        self.position = position
        self.attenuation = attenuation
    }
}
