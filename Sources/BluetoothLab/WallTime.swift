import Foundation

/// A moment on the machine's clock, in microseconds since 1970 (UTC): the one clock of all that is recorded.
struct WallTime: Hashable, Comparable, Swift.Sendable {
    let microseconds: Int64

    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    static func < (a: WallTime, b: WallTime) -> Bool { a.microseconds < b.microseconds }
}

/// In seconds, as lab-bundle reads it. A `Double` has room for microseconds until the year 2255.
extension WallTime: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Double(microseconds) / 1_000_000)
    }
}
