import Bluejay

/// A Heart Rate Measurement (Heart Rate Service, 3.1), of which a log needs the rate.
public struct HeartRate: Receivable, Equatable {
    /// In beats a minute.
    public let beatsPerMinute: Int

    /// Throws when the bytes are too few.
    public init(bluetoothData: Data) throws {
        let flags: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        if flags & 1 == 0 {
            let rate: UInt8 = try bluetoothData.extract(start: 1, length: 1)
            beatsPerMinute = Int(rate)
        } else {
            let rate: UInt16 = try bluetoothData.extract(start: 1, length: 2)
            beatsPerMinute = Int(UInt16(littleEndian: rate))
        }
    }
}
