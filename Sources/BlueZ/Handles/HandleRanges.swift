/// Chooses the handles of the services that this program offers on one adapter: always ahead of those that were chosen
/// before, as long as there is room.
///
/// Left to itself bluetoothd (5.66) gives every service new handles, beyond all that were ever used. Once it is past
/// 1,024 its Database Hash no longer changes (`bt_crypto_gatt_hash` passes one vector for each handle to
/// `writev`, which takes 1,024), and centrals that go by the hash do not notice that a service was removed, or added.
/// So handles have to be used again. But where a central still knows them, bluetoothd on its side (5.66,
/// `gatt-client.c`) gets them wrong: a service that overlaps one that it remembers becomes a secondary one, and one
/// that comes below another that it knows may not be found at all (`remove_discov_range` wraps around). Hence this
/// order:
///
/// - A program continues where the one before it ended, and a service that comes back is behind all others.
/// - Handles start from the bottom when a program begins and there is little room ahead, because no central is
///   connected to it then. While it runs, they do so only when there is no room left.
struct HandleRanges {
    /// Above the services of bluetoothd itself, and low enough to leave room for other programs, whose services come
    /// behind.
    static let window: ClosedRange<Int> = 0x0060...0x037F
    /// How much room a program finds ahead when it begins.
    static let reserve = 256

    private var taken: [ClosedRange<Int>] = []
    private var hasBegun = false
    private let next: HandleCounterFile
    /// Where to begin if nothing is known of earlier programs.
    private let start: Int

    /// - Parameters:
    ///   - next: the number that earlier programs have left.
    ///   - time: the wall clock's, in seconds. Where nothing can be remembered, programs that are started some seconds
    ///     after each other begin at different places at least.
    init(next: HandleCounterFile, time: Double) {
        self.next = next
        let (seconds, handles) = (3.0, 32)
        let places = (Self.window.count - Self.reserve) / handles
        start = Self.window.lowerBound + Int(max(time, 0) / seconds) % places * handles
    }

    /// Takes handles.
    ///
    /// - Returns: the first of them; nil if there is no room for so many in a row.
    mutating func take(_ count: Int) -> UInt16? {
        guard count > 0, count <= Self.window.count else { return nil }
        var range: ClosedRange<Int>?
        next.update { known in
            var cursor = known ?? start
            let last = Self.window.upperBound - (hasBegun ? 0 : Self.reserve)
            if !(Self.window.lowerBound...last).contains(cursor) { cursor = Self.window.lowerBound }
            hasBegun = true
            range = free(count, from: cursor)
            return range.map { $0.upperBound + 1 } ?? cursor
        }
        guard let range else { return nil }
        taken.append(range)
        return UInt16(range.lowerBound)
    }

    /// Gives handles back.
    mutating func release(_ first: UInt16) {
        taken.removeAll { $0.lowerBound == Int(first) }
    }

    private func free(_ count: Int, from cursor: Int) -> ClosedRange<Int>? {
        let firsts = Self.window.lowerBound...(Self.window.upperBound - count + 1)
        // In the order of their distance ahead of the cursor.
        let candidates = [firsts.filter { $0 >= cursor }, firsts.filter { $0 < cursor }].joined()
        return candidates.lazy.map { $0...($0 + count - 1) }
            .first { range in !taken.contains { $0.overlaps(range) } }
    }
}
