/// The format of Wireshark: blocks, of which those with packets, and those that describe interfaces, matter here.
/// Specification: draft-ietf-opsawg-pcapng.
struct PcapngFile: RecordFormat {
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    private struct Interface {
        let linkType: UInt32
        /// How many units of its time a second has.
        var unitsPerSecond: UInt64 = 1_000_000
    }

    private enum BlockType {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        /// Obsolete, but still found.
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    /// More than Wireshark opens.
    private static let maximumInterfaces = 1000

    private var order = ByteOrder.little
    private var interfaces: [Interface] = []
    private var linkTypes: Set<String> = []

    var name: String { linkTypes.isEmpty ? "pcapng" : "pcapng (\(linkTypes.sorted().joined(separator: ", ")))" }

    mutating func next(_ stream: inout ByteStream) throws(CaptureError) -> RecordStep {
        while true {
            let begin = try stream.takeUpTo(8)
            if begin.isEmpty { return .end(nil) }
            guard begin.count == 8 else { return Self.cut }
            if begin.starts(with: Self.magic) {
                // The byte order is in the block, behind its length.
                let mark = Array(try stream.peek(4))
                switch mark {
                case [0x1A, 0x2B, 0x3C, 0x4D]: order = .big
                case [0x4D, 0x3C, 0x2B, 0x1A]: order = .little
                default:
                    return mark.count < 4 ? Self.cut : .end("a section without a byte order: the file is damaged there")
                }
                interfaces = []
            }
            var header = ByteCursor(begin)
            guard let type = header.u32(order), let length = header.u32(order) else { return Self.cut }
            // The type and the length are counted at the beginning, and the length again at the end.
            guard length >= 12, length % 4 == 0 else {
                return .end("a block of \(length) bytes: the file is damaged there")
            }
            let isNeeded = [
                BlockType.interface, BlockType.packet, BlockType.simplePacket, BlockType.enhancedPacket,
            ].contains(type)
            guard isNeeded else {
                guard try stream.skip(Int(length) - 8) else { return Self.cut }
                continue
            }
            guard let content = try Self.content(length - 8, &stream) else { return Self.tooLong(length) }
            guard content.isWhole else { return Self.cut }
            let body = ByteCursor(content.bytes.dropLast(4))
            if type == BlockType.interface {
                addInterface(body)
            } else if let record = record(type, body) {
                return .record(record)
            } else {
                return .end("a packet that is longer than its block: the file is damaged there")
            }
        }
    }

    private mutating func addInterface(_ body: ByteCursor) {
        var body = body
        guard let linkType = body.u16(order), body.skip(6), interfaces.count < Self.maximumInterfaces else { return }
        var interface = Interface(linkType: UInt32(linkType))
        while let code = body.u16(order), let length = body.u16(order), code != 0,
            let value = body.bytes(Int(length))
        {
            if code == 9, let resolution = value.first { interface.unitsPerSecond = Self.units(resolution) }
            _ = body.skip((4 - Int(length) % 4) % 4)
        }
        interfaces.append(interface)
        linkTypes.insert(CaptureRecord.kind(ofLinkType: interface.linkType, isReceived: nil).name)
    }

    /// A negative power of ten, or of two if the highest bit is set.
    private static func units(_ resolution: UInt8) -> UInt64 {
        let exponent = resolution & 0x7F
        if resolution & 0x80 != 0 { return 1 << UInt64(min(exponent, 62)) }
        return (0..<min(exponent, 18)).reduce(1) { units, _ in units * 10 }
    }

    private func record(_ type: UInt32, _ body: ByteCursor) -> CaptureRecord? {
        var body = body
        if type == BlockType.simplePacket {
            guard let length = body.u32(order) else { return nil }
            return record(of: 0, body.rest.prefix(Int(length)), time: 0, options: nil)
        }
        let number: Int?
        if type == BlockType.packet {
            number = body.u16(order).map { Int($0) }
            _ = body.skip(2)
        } else {
            number = body.u32(order).map { Int($0) }
        }
        guard let number, let high = body.u32(order), let low = body.u32(order), let length = body.u32(order),
            body.skip(4), let bytes = body.bytes(Int(length))
        else { return nil }
        _ = body.skip((4 - Int(length) % 4) % 4)
        return record(of: number, bytes, time: UInt64(high) << 32 | UInt64(low), options: body)
    }

    private func record(
        of number: Int, _ bytes: ArraySlice<UInt8>, time: UInt64, options: ByteCursor?
    ) -> CaptureRecord {
        guard interfaces.indices.contains(number) else { return CaptureRecord(time: 0, kind: .other, bytes: []) }
        let interface = interfaces[number]
        let units = interface.unitsPerSecond
        // Without the whole seconds the product would not fit.
        let micros =
            units == 1_000_000
            ? Int64(truncatingIfNeeded: time)
            : Int64(truncatingIfNeeded: time / units) &* 1_000_000
                &+ Int64(Double(time % units) / Double(units) * 1_000_000)
        return .unwrapped(
            linkType: interface.linkType, bytes, isReceived: options.flatMap(isReceived), time: micros)
    }

    /// From the packet's flags: 1 is inbound, 2 is outbound.
    private func isReceived(_ options: ByteCursor) -> Bool? {
        var options = options
        while let code = options.u16(order), let length = options.u16(order), code != 0,
            let value = options.bytes(Int(length))
        {
            if code == 2, value.count == 4 {
                switch order.number(value) & 3 {
                case 1: return true
                case 2: return false
                default: return nil
                }
            }
            _ = options.skip((4 - Int(length) % 4) % 4)
        }
        return nil
    }
}
