/// How many writes without response a program has made that bluetoothd has yet to take, and whether there is room for
/// more.
struct CommandWindow: Hashable, Swift.Sendable {
    /// How many may be under way before the program is asked to wait.
    static let size = 32
    /// How many are kept of a program that does not wait.
    static let limit = 4096

    private(set) var underWay = 0
    var hasRoom = false
    private var loss = CommandLoss()

    /// What follows from the end of a write.
    struct Outcome: Hashable, Swift.Sendable {
        /// Whether there is room again after there was none.
        var isReady = false
        /// What was lost since this was reported last; nil if nothing was, or more may follow.
        var loss: CommandLoss?
    }

    /// A connection begins.
    mutating func open() {
        self = CommandWindow()
        hasRoom = true
    }

    /// The connection has ended, and with it what was under way.
    ///
    /// - Returns: what was lost before and was not reported.
    mutating func close() -> CommandLoss? {
        defer { self = CommandWindow() }
        return loss.isEmpty ? nil : loss
    }

    /// - Returns: whether the write is kept. If not, the program has not waited.
    mutating func add() -> Bool {
        guard underWay < Self.limit else {
            loss.add(.tooManyWaiting)
            return false
        }
        underWay += 1
        if underWay >= Self.size { hasRoom = false }
        return true
    }

    /// A write has ended.
    ///
    /// - Parameters:
    ///   - failure: why bluetoothd has not taken it; nil if it has.
    ///   - reopens: whether there may be room again; not while the connection is being ended.
    mutating func remove(failure: String? = nil, reopens: Bool) -> Outcome {
        // Of an earlier connection.
        guard underWay > 0 else { return Outcome() }
        underWay -= 1
        if let failure { loss.add(.failure(failure)) }
        var outcome = Outcome()
        // Once half of the window is free.
        guard underWay <= Self.size / 2 else { return outcome }
        outcome.isReady = reopens && !hasRoom
        if outcome.isReady { hasRoom = true }
        if !loss.isEmpty, outcome.isReady || underWay == 0 {
            outcome.loss = loss
            loss = CommandLoss()
        }
        return outcome
    }
}

/// Writes without response that did not reach bluetoothd.
struct CommandLoss: Hashable, Swift.Sendable, CustomStringConvertible {
    enum Cause {
        /// The program has not waited until there was room.
        case tooManyWaiting
        /// bluetoothd has refused it.
        case failure(String)
    }

    private var tooManyWaiting = 0
    private var failures = 0
    private var failure = ""

    var isEmpty: Bool { tooManyWaiting + failures == 0 }

    mutating func add(_ cause: Cause) {
        switch cause {
        case .tooManyWaiting: tooManyWaiting += 1
        case .failure(let text): (failures, failure) = (failures + 1, text)
        }
    }

    var description: String {
        var parts: [String] = []
        if tooManyWaiting > 0 {
            parts.append(
                "\(Self.counted(tooManyWaiting)): more than \(CommandWindow.limit) waited "
                    + "(canSendWriteWithoutResponse was false)")
        }
        if failures > 0 { parts.append("\(Self.counted(failures)): \(failure)") }
        return parts.joined(separator: "; ")
    }

    private static func counted(_ count: Int) -> String {
        count == 1 ? "a write without response was dropped" : "\(count) writes without response were dropped"
    }
}
