/// A value that is written, or what several have in common.
package struct ValuePattern: Hashable, Sendable {
    /// Nil stands for any byte.
    package let bytes: [UInt8?]
    /// Whether any bytes may follow.
    package let isOpen: Bool

    init(_ value: [UInt8]) {
        bytes = value
        isOpen = false
    }

    /// What values of one length have in common, or what values begin with if the pattern is open. Nil if that is
    /// nothing.
    init?(_ values: [[UInt8]], isOpen: Bool) {
        guard let first = values.first else { return nil }
        let common = first.indices.map { index in
            values.allSatisfy { index < $0.count && $0[index] == first[index] } ? first[index] : nil
        }
        bytes = isOpen ? Array(common.prefix { $0 != nil }) : common
        self.isOpen = isOpen
        guard bytes.contains(where: { $0 != nil }) else { return nil }
    }

    /// Nil if several values match.
    package var exact: [UInt8]? {
        let exact = bytes.compactMap(\.self)
        return isOpen || exact.count < bytes.count ? nil : exact
    }

    func matches(_ value: [UInt8]) -> Bool {
        (isOpen ? value.count >= bytes.count : value.count == bytes.count)
            && zip(value, bytes).allSatisfy { $1 == nil || $0 == $1 }
    }
}
