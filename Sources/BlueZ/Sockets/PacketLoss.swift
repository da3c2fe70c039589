/// What a socket has lost, or may have lost, of what was sent into it.
package struct PacketLoss: Hashable, Swift.Sendable {
    /// How many packets were dropped here, because the program had not taken those before them.
    package var dropped: Int
    /// How often the socket was found full. bluetoothd drops what does not fit and does not report it, so that packets
    /// may be missing each time, and how many is not known.
    package var fullQueues: Int

    package init(dropped: Int = 0, fullQueues: Int = 0) {
        self.dropped = dropped
        self.fullQueues = fullQueues
    }

    package var isEmpty: Bool { dropped == 0 && fullQueues == 0 }

    package static func += (sum: inout PacketLoss, more: PacketLoss) {
        sum.dropped += more.dropped
        sum.fullQueues += more.fullQueues
    }
}
