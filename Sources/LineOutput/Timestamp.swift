import Glibc

/// A point in time as it is printed at the beginning of a line. Uses the C library's calendar: a formatter of
/// Foundation would cost more memory than all the rest of a program that only prints lines.
package struct Timestamp: Hashable, Swift.Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The present.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The local time of day, `14:05:09.042`.
    package var timeOfDay: String {
        var seconds = time_t(milliseconds.flooredQuotient(1000))
        var fields = tm()
        localtime_r(&seconds, &fields)
        return clock(fields)
    }

    /// Date and time in UTC, `2026-01-31T14:05:09.042Z`. Specification: RFC 3339.
    package var utc: String {
        var seconds = time_t(milliseconds.flooredQuotient(1000))
        var fields = tm()
        gmtime_r(&seconds, &fields)
        let date = "\(fields.tm_year + 1900)-\(padded(fields.tm_mon + 1, 2))-\(padded(fields.tm_mday, 2))"
        return "\(date)T\(clock(fields))Z"
    }

    /// Reads a time that ``utc`` has written.
    package init?(utc text: some StringProtocol) {
        guard text.utf8.count == 24, text.hasSuffix("Z"), let seconds = utcSeconds(text.prefix(19)),
            let rest = digits(text.utf8.dropFirst(20).prefix(3))
        else { return nil }
        milliseconds = seconds * 1000 + Int64(rest)
    }

    private func clock(_ fields: tm) -> String {
        let fraction = padded(Int32(milliseconds - milliseconds.flooredQuotient(1000) * 1000), 3)
        return "\(padded(fields.tm_hour, 2)):\(padded(fields.tm_min, 2)):\(padded(fields.tm_sec, 2)).\(fraction)"
    }

    private func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// The seconds since 1970 of a date and time in UTC: `2026-11-23T13:05:00`, whatever is between the numbers.
private func utcSeconds(_ text: some StringProtocol) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 19, let year = digits(bytes[0..<4]), let month = digits(bytes[5..<7]),
        let day = digits(bytes[8..<10]), let hour = digits(bytes[11..<13]), let minute = digits(bytes[14..<16]),
        let second = digits(bytes[17..<19])
    else { return nil }
    var fields = tm()
    fields.tm_year = Int32(year - 1900)
    fields.tm_mon = Int32(month - 1)
    fields.tm_mday = Int32(day)
    fields.tm_hour = Int32(hour)
    fields.tm_min = Int32(minute)
    fields.tm_sec = Int32(second)
    return Int64(timegm(&fields))
}

/// The number in a few decimal digits; nil if any other character is among them.
private func digits(_ bytes: some Sequence<UInt8>) -> Int? {
    bytes.reduce(into: Optional(0)) { sum, byte in
        sum = (48...57).contains(byte) ? sum.map { $0 * 10 + Int(byte) - 48 } : nil
    }
}
