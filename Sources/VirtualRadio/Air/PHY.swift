/// How packets are sent. (Core Specification, Vol 6 Part A, 3; Part B, 2.1, 2.2)
enum PHY: UInt8 {
    case le1M = 1
    case le2M = 2
    /// With eight symbols a bit.
    case coded = 3

    /// How long a packet with a payload of this many bytes is in the air.
    func airTime(_ payload: Int) -> Int {
        switch self {
        // Preamble, access address, header, CRC.
        case .le1M: (1 + 4 + 2 + payload + 3) * 8 * Span.microsecond
        case .le2M: (2 + 4 + 2 + payload + 3) * 4 * Span.microsecond
        // Preamble, access address, coding indicator and its end; then header, payload and CRC, and their end.
        case .coded: (80 + 256 + 16 + 24 + (2 + payload + 3) * 64 + 24) * Span.microsecond
        }
    }

    /// Between two packets of an exchange (T_IFS).
    static let interFrameSpace = 150 * Span.microsecond
}
