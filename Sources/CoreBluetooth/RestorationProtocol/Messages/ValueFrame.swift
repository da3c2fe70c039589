import Foundation

/// A value on its way from the agent to a program: the number of the subscription in four bytes, the most significant
/// first, and the value.
package struct ValueFrame: Hashable, Sendable {
    package var subscription: UInt32
    package var value: Data

    /// The longest frame in bytes: a characteristic's value has at most 512.
    package static let maximumLength = headerLength + 512
    private static let headerLength = 4

    package init(subscription: UInt32, value: Data) {
        self.subscription = subscription
        self.value = value
    }

    /// Nil when the bytes are too few.
    package init?(bytes: Data) {
        guard bytes.count >= Self.headerLength else { return nil }
        subscription = bytes.prefix(Self.headerLength).reduce(0) { $0 << 8 | UInt32($1) }
        value = Data(bytes.dropFirst(Self.headerLength))
    }

    package var bytes: Data {
        var bytes = Data(capacity: Self.headerLength + value.count)
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: subscription >> UInt32(shift)))
        }
        bytes.append(value)
        return bytes
    }
}
