/// Puts the fragments of L2CAP's PDUs together, in one direction of a link.
struct PDUReassembly {
    /// A PDU, or as much of it as the capture has.
    struct PDU {
        let channel: UInt16
        let payload: [UInt8]
        /// Whether the capture has cut off its end.
        let isTruncated: Bool
    }

    private var bytes: [UInt8] = []
    /// How many bytes the fragments have according to their headers.
    private var declared = 0
    private var isTruncated = false
    private(set) var isActive = false

    private static let headerLength = 4
    /// What the length in the header can say, and the header.
    private static let maximumLength = 0xFFFF + headerLength

    /// Takes a fragment.
    ///
    /// - Parameters:
    ///   - length: how many bytes it had before the capture cut it off.
    ///   - isFirst: whether it begins a PDU.
    /// - Returns: the PDU that it completes. Whether the fragment fits to those before it is `fits`.
    mutating func add(
        _ fragment: ArraySlice<UInt8>, length: Int, isFirst: Bool
    ) -> (pdu: PDU?, fits: Bool) {
        var fits = true
        if isFirst {
            fits = !isActive
            isActive = true
            bytes = Array(fragment.prefix(Self.maximumLength))
            declared = length
            isTruncated = fragment.count < length
        } else {
            guard isActive else { return (nil, false) }
            // Behind a gap nothing is at its place.
            if !isTruncated { bytes += fragment.prefix(Self.maximumLength - bytes.count) }
            declared += length
            isTruncated = isTruncated || fragment.count < length
        }
        return (completed(), fits)
    }

    private mutating func completed() -> PDU? {
        var header = ByteCursor(bytes[...])
        guard let length = header.u16().map({ Int($0) }), let channel = header.u16() else {
            if isTruncated { reset() }
            return nil
        }
        guard declared >= Self.headerLength + length else { return nil }
        let payload = Array(header.rest.prefix(length))
        reset()
        return PDU(channel: channel, payload: payload, isTruncated: payload.count < length)
    }

    private mutating func reset() {
        self = PDUReassembly()
    }
}
