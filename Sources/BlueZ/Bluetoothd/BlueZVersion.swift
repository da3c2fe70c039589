/// A release of BlueZ, such as 5.66.
public struct BlueZVersion: Hashable, Comparable, CustomStringConvertible, Swift.Sendable {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int

    /// The release of these numbers.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// What `bluetoothd --version` prints.
    public init?(_ text: String) {
        let parts = text.split(separator: ".").map { Int($0) }
        guard parts.count >= 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major, minor)
    }

    /// Reads an adapter's `Modalias`, such as `usb:v1D6Bp0246d0542`: bluetoothd's own version is at the end, a byte for
    /// each number. Nil if a setting of bluetoothd (`DeviceID`) says something else.
    public init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix), modalias.count == prefix.count + 4,
            let number = UInt16(modalias.dropFirst(prefix.count), radix: 16)
        else { return nil }
        self.init(Int(number >> 8), Int(number & 0xFF))
    }

    /// Whether bluetoothd survives a discovery filter with `UUIDs`.
    ///
    /// 5.87 ends with SIGSEGV as soon as it sees a device that advertises any service: `is_filter_match`
    /// (src/adapter.c) gives `queue_find` its arguments in the wrong order, and the UUID is called as a function. 5.55,
    /// 5.66 and 5.82 are fine (5.86 is the last before the change). The fix came after 5.87, and no release that has it
    /// was tried. Distributions may have put it into their 5.87, which cannot be seen from outside.
    var survivesServiceFilters: Bool { self < BlueZVersion(5, 87) }

    /// Whether bluetoothd acquires a socket of its own for each central that subscribes, and closes it when that
    /// central disconnects, even a bonded one whose subscription it keeps. 5.66 has one for all; 5.82 and 5.87 are so.
    /// What lies between was not tried, and counts with the newer ones.
    package var hasSocketForEachSubscriber: Bool { self > BlueZVersion(5, 66) }

    /// Whether bluetoothd may lose the link while it pairs because a device wants that for a request: 5.66 asks for
    /// encryption twice when the device sends something meanwhile, and the kernel ends the link. 5.87 does not, though
    /// it is refused twice as well; 5.82 was not seen to. What lies between was not tried, and counts with 5.66.
    package var mayLoseLinksThatPair: Bool { self < BlueZVersion(5, 82) }

    /// Whether bluetoothd takes the interval of an advertisement from every program. Before 5.77 it does so only if it
    /// was started with `--experimental` (src/advertising.c), and the kernel's 1.28 s is what is sent.
    package var takesAdvertisingIntervals: Bool { self >= BlueZVersion(5, 77) }

    /// By release.
    public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// As BlueZ writes it.
    public var description: String { "\(major).\(minor)" }
}
