package import CoreBluetooth
import DequeModule
import Foundation
import MainLoop

/// The values that a program has not taken yet.
///
/// They are in a socket; the program reads from a copy of it. What it has not read when it dies is still there for its
/// next run. What the socket has no room for waits here.
package final class Inbox {
    /// The end that programs get copies of.
    package let readEnd: Int32
    /// How many values were lost because the program did not take the others.
    package private(set) var lost = 0

    private let writeEnd: Int32
    private var backlog: Deque<Data> = []
    private var backlogBytes = 0
    private let budget: BacklogBudget
    /// Runs while something waits here. It owns the end that is written to.
    private var room: DescriptorWatch?

    /// Nil when the system has no descriptors left.
    ///
    /// - Parameter budget: what all inboxes together may hold back.
    package init?(queue: DispatchQueue, budget: BacklogBudget) {
        self.budget = budget
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        let room = DescriptorWatch(writeEnd, for: .writable, queue: queue) { [weak self] in self?.flush() }
        self.room = room
    }

    deinit {
        close(readEnd)
        room?.cancel()
        budget.give(back: backlogBytes)
    }

    /// The memory that a value takes while it waits here: its bytes, and what holds them.
    private static func cost(_ bytes: Data) -> Int { bytes.count + 64 }

    /// Adds a value. What is beyond ``AgentLimits/backlog`` is lost, the newest first.
    package func append(_ frame: ValueFrame) {
        let bytes = frame.bytes
        if backlog.isEmpty, PacketIO.send(bytes, to: writeEnd) != .full { return }
        let cost = Self.cost(bytes)
        guard backlogBytes + cost <= AgentLimits.backlog, budget.take(cost) else {
            lost += 1
            return
        }
        backlog.append(bytes)
        backlogBytes += cost
        room?.resume()
    }

    /// Whether there are values that the program has not taken.
    package var hasUnread: Bool {
        if !backlog.isEmpty { return true }
        var count: Int32 = 0
        // SIOCOUTQ, which Glibc's module does not export.
        return ioctl(writeEnd, 0x5411, &count) == 0 && count > 0
    }

    private func flush() {
        while let next = backlog.first, PacketIO.send(next, to: writeEnd) != .full {
            backlog.removeFirst()
            backlogBytes -= Self.cost(next)
            budget.give(back: Self.cost(next))
        }
        if backlog.isEmpty { room?.suspend() }
    }
}

/// What the inboxes of all programs may hold back together. Used on the agent's queue only.
package final class BacklogBudget {
    private let limit: Int
    private var taken = 0

    /// - Parameter limit: in bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: false if that is more than there is left.
    func take(_ bytes: Int) -> Bool {
        guard taken + bytes <= limit else { return false }
        taken += bytes
        return true
    }

    func give(back bytes: Int) { taken -= bytes }
}
