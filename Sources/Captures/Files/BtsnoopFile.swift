/// The format of Android's `btsnoop_hci.log`, BlueZ's `btmon -w` and others. Specification: RFC 1761 with the changes
/// in BlueZ's doc/btsnoop-protocol.txt.
struct BtsnoopFile: RecordFormat {
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    /// Microseconds from the beginning of year 0 to that of 1970.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    private enum Link: UInt32 {
        case h1 = 1001
        case h4 = 1002
        case monitor = 2001
    }

    private let link: Link

    init(_ stream: inout ByteStream) throws(CaptureError) {
        var header = ByteCursor(try stream.takeUpTo(16))
        guard header.skip(8), let version = header.u32(.big), let type = header.u32(.big) else {
            throw .unsupported("a btsnoop file that ends within its header")
        }
        guard version == 1 else { throw .unsupported("btsnoop of version \(version)") }
        guard let link = Link(rawValue: type) else {
            throw .unsupported("btsnoop with data link type \(type); supported: 1001 (H1), 1002 (H4), 2001 (monitor)")
        }
        self.link = link
    }

    var name: String {
        switch link {
        case .h1: "btsnoop (HCI H1)"
        case .h4: "btsnoop (HCI H4)"
        case .monitor: "btsnoop (Linux monitor)"
        }
    }

    mutating func next(_ stream: inout ByteStream) throws(CaptureError) -> RecordStep {
        var header = ByteCursor(try stream.takeUpTo(24))
        if header.isEmpty { return .end(nil) }
        guard header.skip(4), let length = header.u32(.big), let flags = header.u32(.big), header.skip(4),
            let time = header.u64(.big)
        else { return Self.cut }
        guard let content = try Self.content(length, &stream) else { return Self.tooLong(length) }
        guard content.isWhole else { return Self.cut }
        return .record(
            CaptureRecord(time: Int64(bitPattern: time) &- Self.epoch, kind: kind(flags), bytes: content.bytes))
    }

    private func kind(_ flags: UInt32) -> CaptureRecord.Kind {
        let isReceived = flags & 1 == 1
        return switch link {
        case .h1:
            .hci(flags & 2 == 2 ? (isReceived ? .event : .command) : isReceived ? .aclReceived : .aclSent)
        case .h4: .h4(isReceived: isReceived)
        case .monitor:
            .monitor(
                controller: UInt16(truncatingIfNeeded: flags >> 16), opcode: UInt16(truncatingIfNeeded: flags))
        }
    }
}
