import AssignedNumbers

/// Reads a value from its first byte to its last.
struct FormatReader {
    private let value: [UInt8]
    private var position = 0

    init(_ bytes: some Collection<UInt8>) {
        value = Array(bytes)
    }

    var bytesLeft: Int { value.count - position }

    /// Nil if there are fewer.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= bytesLeft else { return nil }
        defer { position += count }
        return Array(value[position..<position + count])
    }

    /// A little-endian number of at most 8 bytes.
    mutating func number(width: Int) -> UInt64? {
        guard (1...8).contains(width), let bytes = bytes(width) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The next number, without reading it; 0 if there is none.
    func leadingNumber(width: Int) -> UInt64 {
        var copy = self
        return copy.number(width: width) ?? 0
    }

    /// UTF-8.
    ///
    /// - Parameter length: nil for all that is left.
    mutating func text(length: Int?) -> String? {
        guard var bytes = bytes(length ?? bytesLeft) else { return nil }
        // Texts of a fixed length are padded with zeros, and others may end with a zero, as in C.
        while bytes.last == 0 { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func zeroTerminatedText() -> String? {
        guard let end = value[position...].firstIndex(of: 0), let bytes = bytes(end - position) else { return nil }
        position += 1
        return String(validating: bytes, as: UTF8.self)
    }

    /// `2026-11-23T13:05:00`, with question marks for an unknown year, month or day, which is 0.
    mutating func date(hasTime: Bool) -> String? {
        guard let year = number(width: 2), let month = number(width: 1), let day = number(width: 1), year <= 9999,
            month <= 12, CalendarDate.days(ofMonth: Int(month), year: Int(year)).contains(Int(day))
        else { return nil }
        let date = CalendarDate(
            year: year == 0 ? nil : Int(year), month: month == 0 ? nil : Int(month), day: day == 0 ? nil : Int(day)
        ).text
        guard hasTime else { return date }
        guard let time = bytes(3), time[0] < 24, time[1] < 60, time[2] < 61 else { return nil }
        return date + "T" + time.map { CalendarDate.digits(Int($0), 2) }.joined(separator: ":")
    }

    /// A vendor's number, after the number of its registry: 1 for the Bluetooth SIG, 2 for the USB Implementer's Forum.
    mutating func vendor() -> String? {
        guard let source = number(width: 1), let vendor = number(width: 2) else { return nil }
        let number = UInt16(truncatingIfNeeded: vendor)
        switch source {
        case 1: return AssignedKind.company.name(of: number) ?? "company 0x\(AssignedName.digits(of: number))"
        case 2: return "USB 0x\(AssignedName.digits(of: number))"
        default: return "vendor 0x\(AssignedName.digits(of: number)) of source \(source)"
        }
    }
}

/// A day of the calendar, parts of which may be unknown.
struct CalendarDate: Hashable {
    let year: Int?
    let month: Int?
    let day: Int?

    init(year: Int?, month: Int?, day: Int?) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Converts by eras of 400 years that begin in March, so that a leap day is the last day of its year.
    init(daysSince1970: Int) {
        let days = daysSince1970 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.month = month
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    /// The days that a month can have, and 0 for one that is not known; a year or month that is not known is 0.
    static func days(ofMonth month: Int, year: Int) -> ClosedRange<Int> {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 4, 6, 9, 11: return 0...30
        case 2: return 0...(isLeapYear ? 29 : 28)
        default: return 0...31
        }
    }

    var text: String {
        let parts = [(year, 4), (month, 2), (day, 2)].map { number, width in
            number.map { Self.digits($0, width) } ?? String(repeating: "?", count: width)
        }
        return parts.joined(separator: "-")
    }

    static func digits(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
