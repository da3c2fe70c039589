/// How many writes without response are on their way to bluetoothd, and whether there is room for more.
struct CommandWindow: Hashable, Swift.Sendable {
    /// How many may be under way before the program is asked to wait.
    static let size = 32

    private(set) var underWay = 0
    var hasRoom = false

    /// A connection begins.
    mutating func open() {
        self = CommandWindow()
        hasRoom = true
    }

    /// The connection has ended, and with it what was under way.
    mutating func close() {
        self = CommandWindow()
    }

    mutating func add() {
        underWay += 1
        if underWay >= Self.size { hasRoom = false }
    }

    /// - Parameter reopens: whether there may be room again; not while the connection is being ended.
    /// - Returns: whether there is room again after there was none. True once half of the window is free.
    mutating func remove(reopens: Bool) -> Bool {
        // Of an earlier connection.
        guard underWay > 0 else { return false }
        underWay -= 1
        guard reopens, !hasRoom, underWay <= Self.size / 2 else { return false }
        hasRoom = true
        return true
    }
}
