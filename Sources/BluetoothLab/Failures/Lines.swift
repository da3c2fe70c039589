/// The lines of a text, without their ends. Records grow to megabytes, and the lab may be an emulated machine: so these
/// are bytes, and become strings where they are of interest.
struct Lines: Swift.Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.count else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        defer { position = end + 1 }
        return bytes[position..<end]
    }
}
