/// Chooses the handles of the services that this program offers on one adapter.
///
/// Left to itself bluetoothd (5.66) gives every service new handles, beyond all that were ever used. Once it is past 1,024
/// its Database Hash does not change any more (`bt_crypto_gatt_hash` passes one vector for each handle to `writev`, which
/// takes 1,024), and centrals that go by the hash do not notice that a service has gone, or another come. So handles are used
/// again here, though as late as possible: a service that comes back is not where it was.
struct HandleRanges {
    /// Above the services of bluetoothd itself, and low enough to leave room for other programs, whose services come behind.
    static let window: ClosedRange<Int> = 0x0060...0x01FF

    private var taken: [ClosedRange<Int>] = []
    private var cursor: Int

    /// Where to begin, so that programs that are started some seconds after each other begin at different places: a central
    /// may remember the services of the one before, and bluetoothd as a central (5.66) mistakes services that overlap those.
    ///
    /// - Parameter time: the wall clock's, in seconds.
    static func start(at time: Double) -> Int {
        let (seconds, handles) = (3.0, 32)
        return window.lowerBound + Int(time / seconds) % (window.count / handles) * handles
    }

    /// - Parameter start: where to begin. Programs on the same adapter had better not begin at the same handle.
    init(start: Int) {
        cursor = Self.window.contains(start) ? start : Self.window.lowerBound
    }

    /// Takes handles.
    ///
    /// - Returns: the first of them; nil if there is no room for so many in a row.
    mutating func take(_ count: Int) -> UInt16? {
        guard count > 0, count <= Self.window.count else { return nil }
        let firsts = Self.window.lowerBound...(Self.window.upperBound - count + 1)
        // In the order of their distance ahead of the cursor.
        let candidates = [firsts.filter { $0 >= cursor }, firsts.filter { $0 < cursor }].joined()
        let free = candidates.lazy.map { $0...($0 + count - 1) }
            .first { range in !taken.contains { $0.overlaps(range) } }
        guard let range = free else { return nil }
        taken.append(range)
        cursor = range.upperBound < Self.window.upperBound ? range.upperBound + 1 : Self.window.lowerBound
        return UInt16(range.lowerBound)
    }

    /// Gives handles back.
    mutating func release(_ first: UInt16) {
        taken.removeAll { $0.lowerBound == Int(first) }
    }
}
