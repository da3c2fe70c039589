/// The format of Apple's PacketLogger, in both byte orders. It has no header: each record begins with its length.
/// Source: files of macOS and iOS.
struct PacketLoggerFile: RecordFormat {
    private let order: ByteOrder

    /// Nil if the first record cannot be one.
    ///
    /// - Parameter begin: the file's first bytes.
    init?(_ begin: ArraySlice<UInt8>) {
        for order in [ByteOrder.big, .little] {
            var cursor = ByteCursor(begin)
            guard let length = cursor.u32(order), (9..<0x1_0000).contains(length), cursor.skip(4),
                let micros = cursor.u32(order), micros < 1_000_000, let type = cursor.u8(),
                type <= 0x0B || type >= 0xF7
            else { continue }
            self.order = order
            return
        }
        return nil
    }

    var name: String { "PacketLogger (\(order == .big ? "big" : "little")-endian)" }

    /// The time and the type, which the length counts.
    private static let headerLength: UInt32 = 9

    mutating func next(_ stream: inout ByteStream) throws(CaptureError) -> RecordStep {
        var header = ByteCursor(try stream.takeUpTo(4))
        if header.isEmpty { return .end(nil) }
        guard let length = header.u32(order) else { return Self.cut }
        guard length >= 8 else { return .end("a record of \(length) bytes (at least 8): the file is damaged there") }
        guard let content = try Self.content(length, &stream) else { return Self.tooLong(length) }
        guard content.isWhole else { return Self.cut }
        var record = ByteCursor(content.bytes)
        guard let seconds = record.u32(order), let micros = record.u32(order) else { return Self.cut }
        let kind: CaptureRecord.Kind =
            switch record.u8() {
            case 0x00: .hci(.command)
            case 0x01: .hci(.event)
            case 0x02: .hci(.aclSent)
            case 0x03: .hci(.aclReceived)
            // Synchronous data, the link manager's packets, and texts.
            default: .other
            }
        return .record(
            CaptureRecord(time: Int64(seconds) * 1_000_000 + Int64(micros), kind: kind, bytes: record.rest))
    }
}
