import CoreBluetooth
import GATTProfiles

/// The Current Time Service (1805). Specification: Current Time Service 1.1.
enum CurrentTime {
    static let service = "1805"
    static let currentTime = "2A2B"
    static let localTimeInformation = "2A0F"
    static let referenceTimeInformation = "2A14"

    /// ATT error: fields of a time that is written are not supported.
    static let dataFieldIgnored: UInt8 = 0x80

    static let characteristics: [CharacteristicProfile] =
        [currentTimeCharacteristic] + [
            .simulated(localTimeInformation, .read),
            // From the network, accurate to a second, updated within the last hour.
            .constant(referenceTimeInformation, [1, 8, 0, 0]),
        ]

    private static var currentTimeCharacteristic: CharacteristicProfile {
        var profile = CharacteristicProfile.simulated(currentTime, [.read, .write, .notify])
        profile.notifications = NotificationPlan(interval: 60, source: .simulated)
        profile.writes?.lengths = 10...10
        return profile
    }

    /// The value of Current Time.
    struct Time: Hashable {
        /// Adjust Reason.
        static let manualUpdate: UInt8 = 1 << 0

        var date: DateTime
        /// From 1, Monday, to 7, Sunday; 0 if it is not known.
        var dayOfWeek: UInt8
        /// In 1/256 s.
        var fractions: UInt8
        var adjustReason: UInt8

        init(secondsSince1970 seconds: Double, adjustReason: UInt8 = 0) {
            let whole = Int(seconds.rounded(.down))
            date = DateTime(secondsSince1970: whole)
            // The first day of 1970 was a Thursday.
            dayOfWeek = UInt8((max(whole, 0) / 86_400 + 3) % 7 + 1)
            fractions = UInt8(min(max((seconds - Double(whole)) * 256, 0), 255))
            self.adjustReason = adjustReason
        }

        /// Nil if the bytes are no time.
        init?(bytes: [UInt8]) {
            guard bytes.count == 10, let date = DateTime(bytes: bytes.prefix(7)), bytes[7] <= 7 else { return nil }
            self.date = date
            (dayOfWeek, fractions, adjustReason) = (bytes[7], bytes[8], bytes[9])
        }

        var bytes: [UInt8] { date.bytes + [dayOfWeek, fractions, adjustReason] }
    }

    /// A clock that can be set.
    final class Model: ServiceModel {
        private let clock: DeviceClock
        /// How many seconds it is ahead of the machine's clock.
        private var lead = 0.0
        private var change: ModelMessage?

        init(_ setup: ModelSetup) {
            clock = setup.clock
        }

        private func now(_ reason: UInt8 = 0) -> [UInt8] {
            Time(secondsSince1970: clock.now() + lead, adjustReason: reason).bytes
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? { now() }

        func value(of uuid: String) -> [UInt8]? {
            guard uuid == CurrentTime.localTimeInformation else { return now() }
            // Time Zone in quarters of an hour, and an unknown DST Offset: it is in the time zone already.
            return [UInt8(bitPattern: Int8(clamping: clock.offset / 900)), 255]
        }

        func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            guard let time = Time(bytes: value), let seconds = time.date.secondsSince1970 else {
                throw CBATTError(attError: CurrentTime.dataFieldIgnored)
            }
            lead = Double(seconds) + Double(time.fractions) / 256 - clock.now()
            change = ModelMessage(uuid: CurrentTime.currentTime, value: now(Time.manualUpdate))
        }

        func nextMessage() -> ModelMessage? {
            defer { change = nil }
            return change
        }
    }
}
