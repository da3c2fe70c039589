import BlueZ

/// Notifications that did not reach the program, or may not have; a Linux addition.
///
/// Only notification sockets (``CBConnectPeripheralOptionUseNotifySocketsKey``) lose any.
public struct CBNotificationLoss: Hashable, Swift.Sendable, CustomStringConvertible {
    /// How many values were dropped in this process: it keeps 65,536 values, and 4 MB of them, while its main loop is
    /// held up, and drops what exceeds that.
    public var droppedValues = 0
    /// How often a socket was found full. bluetoothd drops what does not fit and does not report how much: each time
    /// some values may be missing, or none.
    public var fullSockets = 0

    public init() {}

    static func += (sum: inout CBNotificationLoss, more: PacketLoss) {
        sum.droppedValues += more.dropped
        sum.fullSockets += more.fullQueues
    }

    /// A sentence for people.
    public var description: String {
        var parts: [String] = []
        if droppedValues > 0 {
            parts.append("\(counted(droppedValues, "value")) dropped because the program was too slow")
        }
        if fullSockets > 0 {
            parts.append(
                "values may be missing: bluetoothd filled the socket \(counted(fullSockets, "time")), and silently "
                    + "drops what does not fit")
        }
        return parts.isEmpty ? "no values lost" : parts.joined(separator: "; ")
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
