/// A date with its time, as a clock on the wall shows it (Date Time, 2A08). Specification: GATT Specification
/// Supplement, 3.70.
package struct DateTime: Hashable, Swift.Sendable {
    /// From 1582 on; 0 if it is not known.
    package var year: Int
    /// From 1 to 12; 0 if it is not known.
    package var month: Int
    /// From 1 to 31; 0 if it is not known.
    package var day: Int
    package var hours: Int
    package var minutes: Int
    package var seconds: Int

    package init(year: Int, month: Int, day: Int, hours: Int = 0, minutes: Int = 0, seconds: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }

    /// - Parameter seconds: since the beginning of 1970, on the same clock.
    package init(secondsSince1970 seconds: Int) {
        let seconds = max(seconds, 0)
        let date = CalendarDate(daysSince1970: seconds / 86_400)
        self.init(
            year: date.year ?? 0, month: date.month ?? 0, day: date.day ?? 0, hours: seconds / 3600 % 24,
            minutes: seconds / 60 % 60, seconds: seconds % 60)
    }

    /// Decodes seven bytes; nil if there are others, or if they are no date.
    package init?(bytes: some Collection<UInt8>) {
        let bytes = bytes.map(Int.init)
        guard bytes.count == 7 else { return nil }
        self.init(
            year: bytes[0] | bytes[1] << 8, month: bytes[2], day: bytes[3], hours: bytes[4], minutes: bytes[5],
            seconds: bytes[6])
        guard year == 0 || (1582...9999).contains(year), (0...12).contains(month),
            CalendarDate.days(ofMonth: month, year: year).contains(day),
            hours < 24, minutes < 60, seconds < 60
        else { return nil }
    }

    /// The value as sent.
    package var bytes: [UInt8] {
        [year, year >> 8, month, day, hours, minutes, seconds].map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Seconds since the beginning of 1970 on the same clock; nil if a part of the date is not known or the date is
    /// earlier.
    package var secondsSince1970: Int? {
        guard year >= 1970, month > 0, day > 0 else { return nil }
        // Counted from March on, so that a leap day is the last of its year.
        let (years, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 719_468
        return days * 86_400 + hours * 3600 + minutes * 60 + seconds
    }
}
