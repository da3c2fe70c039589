import AssignedNumbers

/// The service that a virtual sensor chirps with: it sends values by command.
package enum ChirpService {
    /// The service.
    package static let uuid = "CED261B7-F120-41C8-9A92-A41DE69CF2A8"
    /// Notified, with any content; empty unless the command has a value.
    package static let chirp = "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"

    static let names: [(kind: AssignedKind, uuid: String, name: String)] = [
        (.service, uuid, "Chirp Service"),
        (.characteristic, chirp, "Chirp"),
    ]

    /// The values of a burst of chirps, which show a receiver what is lost, repeated or out of order: a 32-bit
    /// little-endian sequence number, counted from 0, and zeros up to the size of the value.
    package enum Burst {
        /// The smallest size of a value in bytes.
        package static let minimumSize = 4

        /// The bytes of one value. `size` is at least ``minimumSize``.
        package static func bytes(number: UInt32, size: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: max(size, minimumSize))
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
            return bytes
        }

        /// The sequence number of a value, or nil if it is too short to have one.
        package static func number(in bytes: some Sequence<UInt8>) -> UInt32? {
            var number: UInt32 = 0
            var count: UInt32 = 0
            for byte in bytes.prefix(4) {
                number |= UInt32(byte) << (8 * count)
                count += 1
            }
            return count == 4 ? number : nil
        }
    }
}
