/// What the two ends of a link have agreed on (Core Specification, Vol 6, Part B, 4.5.1).
package struct LinkParameters: Hashable, Swift.Sendable {
    /// From one connection event to the next.
    package var interval: Duration
    /// How many events in a row the peripheral may leave out.
    package var latency: Int
    /// How long the link is kept without a packet.
    package var supervisionTimeout: Duration
}

/// What the links of one controller have agreed on, from the HCI events that report it.
struct LinkParameterTable {
    private(set) var parameters: [UInt16: LinkParameters] = [:]

    /// Takes an HCI event: its code, the length of its parameters, and those. All others than those about links, and
    /// what is too short, change nothing.
    mutating func take(_ event: some Collection<UInt8>) {
        let bytes = Array(event)
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return }
        let parameters = Array(bytes[2..<(2 + Int(bytes[1]))])
        switch (bytes[0], parameters.first) {
        // Disconnection Complete
        case (0x05, 0): remove(parameters)
        // LE Connection Complete, its enhanced versions, LE Connection Update Complete
        case (0x3E, 0x01): add(parameters, at: 12)
        case (0x3E, 0x0A), (0x3E, 0x29): add(parameters, at: 24)
        case (0x3E, 0x03): add(parameters, at: 4)
        default: break
        }
    }

    private mutating func remove(_ bytes: [UInt8]) {
        guard bytes.count >= 3 else { return }
        parameters[Self.word(bytes, 1)] = nil
    }

    /// Subevent, status, handle and, from `offset` on, interval, latency and timeout.
    private mutating func add(_ bytes: [UInt8], at offset: Int) {
        guard bytes.count >= offset + 6, bytes[1] == 0 else { return }
        parameters[Self.word(bytes, 2) & 0x0FFF] = LinkParameters(
            interval: .microseconds(1250 * Int(Self.word(bytes, offset))), latency: Int(Self.word(bytes, offset + 2)),
            supervisionTimeout: .milliseconds(10 * Int(Self.word(bytes, offset + 4))))
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }
}
