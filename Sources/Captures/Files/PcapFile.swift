/// The format of tcpdump, in both byte orders and with micro- or nanoseconds. Specification:
/// draft-ietf-opsawg-pcap.
struct PcapFile: RecordFormat {
    private let order: ByteOrder
    private let hasNanoseconds: Bool
    private let linkType: UInt32

    /// The byte order and the unit that the first four bytes stand for.
    static func form(_ magic: ArraySlice<UInt8>) -> (order: ByteOrder, hasNanoseconds: Bool)? {
        switch Array(magic.prefix(4)) {
        case [0xA1, 0xB2, 0xC3, 0xD4]: (.big, false)
        case [0xD4, 0xC3, 0xB2, 0xA1]: (.little, false)
        case [0xA1, 0xB2, 0x3C, 0x4D]: (.big, true)
        case [0x4D, 0x3C, 0xB2, 0xA1]: (.little, true)
        default: nil
        }
    }

    init(_ stream: inout ByteStream, _ form: (order: ByteOrder, hasNanoseconds: Bool)) throws(CaptureError) {
        (order, hasNanoseconds) = form
        var header = ByteCursor(try stream.takeUpTo(24))
        guard header.skip(20), let type = header.u32(order) else {
            throw .unsupported("a pcap file that ends within its header")
        }
        // The upper bits say how long the frame check sequence is.
        linkType = type & 0xFFFF
        guard CaptureRecord.kind(ofLinkType: linkType, isReceived: nil).kind != .other else {
            throw .unsupported("pcap with link type \(linkType), which is not Bluetooth LE or HCI")
        }
    }

    var name: String { "pcap (\(CaptureRecord.kind(ofLinkType: linkType, isReceived: nil).name))" }

    mutating func next(_ stream: inout ByteStream) throws(CaptureError) -> RecordStep {
        var header = ByteCursor(try stream.takeUpTo(16))
        if header.isEmpty { return .end(nil) }
        guard let seconds = header.u32(order), let fraction = header.u32(order), let length = header.u32(order),
            header.count == 4
        else { return Self.cut }
        guard let content = try Self.content(length, &stream) else { return Self.tooLong(length) }
        guard content.isWhole else { return Self.cut }
        let time = Int64(seconds) * 1_000_000 + Int64(fraction) / (hasNanoseconds ? 1000 : 1)
        return .record(.unwrapped(linkType: linkType, content.bytes, isReceived: nil, time: time))
    }
}
