/// Takes the packets of a host, or of a controller, out of a stream of bytes: H4, the UART transport. (Core
/// Specification, Vol 4 Part A)
///
/// Nothing but the length says where a packet ends, so that after bytes that begin no packet, none can be found.
public struct PacketStream {
    /// Who sends the stream.
    public enum Sender: Sendable {
        case host
        case controller
    }

    private let sender: Sender
    /// Begins with a packet of which a part is still to come.
    private var bytes: [UInt8] = []
    /// Whether the stream had bytes in it that begin no packet of its sender. What comes after them is dropped.
    public private(set) var isMalformed = false

    public init(from sender: Sender) {
        self.sender = sender
    }

    /// Takes what has arrived, and calls `body` with each packet that is complete, its type first.
    public mutating func add(_ arrived: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard !isMalformed else { return }
        guard !bytes.isEmpty else {
            // As a rule packets arrive whole.
            let taken = take(arrived, body)
            return bytes.append(contentsOf: arrived[taken...])
        }
        var joined: [UInt8] = []
        swap(&joined, &bytes)
        joined.append(contentsOf: arrived)
        let taken = joined.withUnsafeBytes { take($0, body) }
        joined.removeFirst(taken)
        swap(&joined, &bytes)
    }

    /// Calls `body` with the packets. Returns how many bytes they have.
    private mutating func take(_ arrived: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        var taken = 0
        while taken < arrived.count {
            let rest = UnsafeRawBufferPointer(rebasing: arrived[taken...])
            guard let header = headerLength(rest[0]) else {
                isMalformed = true
                return arrived.count
            }
            guard rest.count >= header else { break }
            let length = header + Self.contentLength(rest)
            guard rest.count >= length else { break }
            body(UnsafeRawBufferPointer(rebasing: rest[..<length]))
            taken += length
        }
        return taken
    }

    /// With the type; `nil` if the sender has no such packets.
    private func headerLength(_ type: UInt8) -> Int? {
        switch PacketType(rawValue: type) {
        case .command: sender == .host ? 4 : nil
        case .event: sender == .controller ? 3 : nil
        case .synchronousData: 4
        case .data, .isochronousData: 5
        case nil: nil
        }
    }

    private static func contentLength(_ packet: UnsafeRawBufferPointer) -> Int {
        switch PacketType(rawValue: packet[0]) {
        case .event: Int(packet[2])
        case .data: Int(packet[3]) | Int(packet[4]) << 8
        case .isochronousData: Int(packet[3]) | Int(packet[4] & 0x3F) << 8
        default: Int(packet[3])
        }
    }
}
