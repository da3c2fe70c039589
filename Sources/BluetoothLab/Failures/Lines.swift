import Foundation

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
        let length = bytes.withUnsafeBytes { buffer -> Int in
            let rest = UnsafeRawBufferPointer(rebasing: buffer[position...])
            guard let start = rest.baseAddress, let end = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) else {
                return rest.count
            }
            return UnsafeRawPointer(end) - start
        }
        defer { position += length + 1 }
        return bytes[position..<position + length]
    }
}
