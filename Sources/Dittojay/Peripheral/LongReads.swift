import Foundation

/// The long values that were read, by central, so that their parts are parts of the same value and a device is asked
/// once.
struct LongReads {
    private struct Read {
        let path: CharacteristicPath
        let value: Data
    }

    private var reads: [String: Read] = [:]

    /// Whoever has disconnected meanwhile is forgotten when there are more.
    private static let limit = 64

    /// A central has read the beginning of a value.
    mutating func note(_ value: Data, of path: CharacteristicPath, for central: PeripheralEvent.Central) {
        // What does not fill a packet has no further parts (Core Specification, Vol 3, Part F, 3.4.4.4).
        guard value.count >= (central.mtu ?? 23) - 1 else {
            reads[central.address] = nil
            return
        }
        if reads.count >= Self.limit { reads = [:] }
        reads[central.address] = Read(path: path, value: value)
    }

    /// The value that a central has begun to read; nil if its last read was another one.
    func value(of path: CharacteristicPath, for central: String) -> Data? {
        reads[central].flatMap { $0.path == path ? $0.value : nil }
    }
}
