/// One packet of a file, as it is stored.
struct CaptureRecord {
    /// From 1, as Wireshark counts.
    var number = 0
    /// Microseconds since the beginning of 1970.
    var time: Int64
    let kind: Kind
    let bytes: ArraySlice<UInt8>

    /// What the bytes are.
    enum Kind: Hashable {
        /// HCI without the type in front (H1), as the file describes it.
        case hci(HCIKind)
        /// HCI with the type in front (H4). The direction is nil where the file does not have it.
        case h4(isReceived: Bool?)
        /// What the Linux kernel's monitor channel gives. Specification: BlueZ, doc/btsnoop-protocol.txt.
        case monitor(controller: UInt16, opcode: UInt16)
        /// Frames of the link layer, from the access address to the CRC.
        case linkLayer
        /// The same behind the pseudo header of link type 256.
        case linkLayerWithHeader
        /// The same behind the header of Nordic Semiconductor's sniffer.
        case nordic
        /// Not Bluetooth, or nothing that is needed.
        case other
    }

    enum HCIKind: Hashable {
        case command, event, aclSent, aclReceived
    }

    /// Times beyond it (the year 2112) are damage. Differences of times within it cannot overflow.
    static let possibleTimes: ClosedRange<Int64> = 0...1 << 52

    /// More than any packet of Bluetooth has: a length beyond it is a damaged file.
    static let maximumLength = 1 << 18

    /// What a number of the registry at tcpdump.org means; pcap and pcapng have it.
    static func kind(ofLinkType number: UInt32, isReceived: Bool?) -> (kind: Kind, name: String) {
        switch number {
        case 187: (.h4(isReceived: isReceived), "HCI_H4")
        // Frames of the link layer, as Ubertooth stores them.
        case 192: (.linkLayer, "PPI")
        // The direction is in the pseudo header.
        case 201: (.h4(isReceived: isReceived), "HCI_H4_WITH_PHDR")
        case 251: (.linkLayer, "BLUETOOTH_LE_LL")
        case 254: (.monitor(controller: 0, opcode: 0), "BLUETOOTH_LINUX_MONITOR")
        case 256: (.linkLayerWithHeader, "BLUETOOTH_LE_LL_WITH_PHDR")
        case 272: (.nordic, "NORDIC_BLE")
        default: (.other, "link type \(number)")
        }
    }

    /// Takes the pseudo header of pcap's link types off, which has what other formats have elsewhere.
    static func unwrapped(
        linkType: UInt32, _ bytes: ArraySlice<UInt8>, isReceived: Bool?, time: Int64
    ) -> CaptureRecord {
        let kind = kind(ofLinkType: linkType, isReceived: isReceived).kind
        var cursor = ByteCursor(bytes)
        switch linkType {
        case 201:
            guard let direction = cursor.u32(.big) else { break }
            return CaptureRecord(time: time, kind: .h4(isReceived: direction & 1 == 1), bytes: cursor.rest)
        case 192:
            // The length of the whole header, and what follows it: frames of the link layer, or a number for own uses,
            // and behind it the header's first field, which is then Ubertooth's.
            guard cursor.skip(2), let length = cursor.u16(), let inner = cursor.u32(),
                inner == 251 || (inner == 147 && ByteOrder.little.number(cursor.rest.prefix(2)) == 30_006),
                cursor.skip(Int(length) - 8)
            else { break }
            return CaptureRecord(time: time, kind: kind, bytes: cursor.rest)
        case 254:
            guard let controller = cursor.u16(.big), let opcode = cursor.u16(.big) else { break }
            return CaptureRecord(
                time: time, kind: .monitor(controller: controller, opcode: opcode), bytes: cursor.rest)
        default: return CaptureRecord(time: time, kind: kind, bytes: bytes)
        }
        return CaptureRecord(time: time, kind: .other, bytes: [])
    }
}

/// What the next step in a file is.
enum RecordStep {
    case record(CaptureRecord)
    /// The end of the file; with a sentence if it comes too early, or nothing more can be read.
    case end(String?)
}

/// A format of files.
protocol RecordFormat {
    /// For people: `btsnoop (HCI H4)`.
    var name: String { get }
    mutating func next(_ stream: inout ByteStream) throws(CaptureError) -> RecordStep
}

extension RecordFormat {
    /// Takes the bytes of a packet.
    ///
    /// - Parameter length: as the file has it.
    /// - Returns: nil if that cannot be.
    static func content(
        _ length: UInt32, _ stream: inout ByteStream
    ) throws(CaptureError) -> (bytes: ArraySlice<UInt8>, isWhole: Bool)? {
        guard length <= CaptureRecord.maximumLength else { return nil }
        let bytes = try stream.takeUpTo(Int(length))
        return (bytes, bytes.count == Int(length))
    }

    static func tooLong(_ length: UInt32) -> RecordStep {
        .end("the next packet claims \(length) bytes (limit \(CaptureRecord.maximumLength)): the file is damaged there")
    }

    static var cut: RecordStep { .end("the file ends within a packet") }
}
