import AssignedNumbers

/// A service for tests and measurements of the link itself.
package enum LabService {
    /// The service.
    package static let uuid = "025D0000-F26A-4EB9-A53F-F1B453D5E20B"
    /// Read and written: keeps up to 512 bytes, for long reads and long writes.
    package static let store = "025D0001-F26A-4EB9-A53F-F1B453D5E20B"
    /// Written with or without response: discards everything and counts it.
    package static let sink = "025D0002-F26A-4EB9-A53F-F1B453D5E20B"
    /// Read: what the sink has counted, see ``SinkCount``. Written with any value: starts again at zero.
    package static let sinkCount = "025D0003-F26A-4EB9-A53F-F1B453D5E20B"
    /// Written and indicated: what is written comes back as an indication.
    package static let echo = "025D0004-F26A-4EB9-A53F-F1B453D5E20B"

    static let names: [(kind: AssignedKind, uuid: String, name: String)] = [
        (.service, uuid, "Lab Service"),
        (.characteristic, store, "Store"),
        (.characteristic, sink, "Sink"),
        (.characteristic, sinkCount, "Sink Count"),
        (.characteristic, echo, "Echo"),
    ]

    /// The longest value that an attribute can have. Specification: Bluetooth Core, Vol 3, Part F, 3.2.9.
    package static let maximumValueLength = 512

    /// How much the sink has counted: two 64-bit little-endian numbers.
    package struct SinkCount: Hashable, Swift.Sendable {
        /// How many writes.
        package var writes: UInt64
        /// How many bytes in all.
        package var byteCount: UInt64

        package init(writes: UInt64 = 0, byteCount: UInt64 = 0) {
            self.writes = writes
            self.byteCount = byteCount
        }

        /// Decodes a value as read; nil unless it has 16 bytes.
        package init?(bytes: some Sequence<UInt8>) {
            let bytes = Array(bytes)
            guard bytes.count == 16 else { return nil }
            func number(at start: Int) -> UInt64 {
                bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            self.init(writes: number(at: 0), byteCount: number(at: 8))
        }

        /// The value as read.
        package var bytes: [UInt8] {
            [writes, byteCount].flatMap { number in
                stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
            }
        }
    }
}
