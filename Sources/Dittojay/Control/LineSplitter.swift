/// Cuts a stream of bytes into lines. A line that is too long is reported once and skipped.
package struct LineSplitter: Swift.Sendable {
    package enum Element: Hashable, Swift.Sendable {
        /// A line without its end.
        case line([UInt8])
        /// A line above the limit.
        case tooLong
    }

    private let limit: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: the longest line in bytes, its end not counted.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The lines that these bytes complete. Carriage returns before line ends are dropped.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [Element] {
        var elements: [Element] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping {
                    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
                    elements.append(.line(rest))
                }
                isSkipping = false
                rest.removeAll(keepingCapacity: true)
            } else if !isSkipping {
                if rest.count == limit {
                    isSkipping = true
                    rest.removeAll()
                    elements.append(.tooLong)
                } else {
                    rest.append(byte)
                }
            }
        }
        return elements
    }
}
