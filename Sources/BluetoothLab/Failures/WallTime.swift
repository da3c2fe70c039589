import Foundation
import LineOutput

/// A moment on the machine's clock, in microseconds since 1970 (UTC): the one clock of all that is recorded.
struct WallTime: Hashable, Comparable, Swift.Sendable {
    let microseconds: Int64

    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    static func < (a: WallTime, b: WallTime) -> Bool { a.microseconds < b.microseconds }

    /// `2026-11-21 18:22:55.209250`, in UTC.
    var text: String {
        var seconds = time_t(microseconds / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d.%06d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, Int(microseconds % 1_000_000))
    }
}

extension WallTime {
    /// Seconds with six decimals, as dbus-monitor and bash print them: `1795285375.229429`.
    init?(seconds text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 6, let seconds = Int64(parts[0]), let rest = Int64(parts[1]),
            seconds >= 0, rest >= 0, seconds < Int64.max / 2_000_000
        else { return nil }
        self.init(microseconds: seconds * 1_000_000 + rest)
    }

    /// What ``text`` gives, which is what `btmon -T` prints when the time zone is UTC.
    init?(text: some StringProtocol) {
        guard text.utf8.count == 26, let seconds = utcSeconds(text.prefix(19)),
            let rest = digits(text.utf8.dropFirst(20))
        else { return nil }
        self.init(microseconds: seconds * 1_000_000 + Int64(rest))
    }
}
