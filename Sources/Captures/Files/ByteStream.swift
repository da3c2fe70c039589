/// The bytes of a file from its beginning to its end, of which only a piece is in memory.
struct ByteStream {
    /// Gives the next bytes; none at the end.
    typealias Source = () throws(CaptureError) -> [UInt8]

    private let source: Source
    /// Never changed in place: packets are slices of it.
    private var buffer: ArraySlice<UInt8> = []
    private var hasEnded = false

    init(_ source: @escaping Source) {
        self.source = source
    }

    /// The next bytes, which stay; fewer at the end.
    mutating func peek(_ count: Int) throws(CaptureError) -> ArraySlice<UInt8> {
        try fill(count)
        return buffer.prefix(count)
    }

    /// The next bytes; nil, and the rest stays, if there are fewer.
    mutating func take(_ count: Int) throws(CaptureError) -> ArraySlice<UInt8>? {
        try fill(count)
        guard count >= 0, count <= buffer.count else { return nil }
        defer { buffer = buffer.dropFirst(count) }
        return buffer.prefix(count)
    }

    /// The next bytes; at the end those that are left.
    mutating func takeUpTo(_ count: Int) throws(CaptureError) -> ArraySlice<UInt8> {
        try take(min(count, peek(count).count)) ?? []
    }

    /// Leaves out bytes, as many as a file claims, without keeping them.
    ///
    /// - Returns: whether there were as many.
    mutating func skip(_ count: Int) throws(CaptureError) -> Bool {
        var left = count
        while left > 0 {
            let piece = try takeUpTo(min(left, 1 << 16))
            guard !piece.isEmpty else { return false }
            left -= piece.count
        }
        return true
    }

    private mutating func fill(_ count: Int) throws(CaptureError) {
        guard buffer.count < count, !hasEnded else { return }
        var bytes = Array(buffer)
        while bytes.count < count {
            let more = try source()
            guard !more.isEmpty else {
                hasEnded = true
                break
            }
            if bytes.isEmpty { bytes = more } else { bytes += more }
        }
        buffer = bytes[...]
    }
}
