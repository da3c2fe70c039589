import Glibc

/// Where a device is, in metres.
public struct Position: Sendable, Equatable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    func distance(to other: Position) -> Double {
        hypot(x - other.x, y - other.y)
    }
}

/// A way in a straight line, at the same speed all the time.
struct Motion {
    var from: Position
    var to: Position
    var began: Instant = 0
    var span = 0

    /// Something that rests.
    init(at position: Position) {
        from = position
        to = position
    }

    init(from: Position, to: Position, began: Instant, span: Int) {
        self.from = from
        self.to = to
        self.began = began
        self.span = span
    }

    var end: Instant { began + span }

    func position(_ time: Instant) -> Position {
        guard time < end else { return to }
        let part = Double(max(0, time - began)) / Double(span)
        return Position(x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part)
    }
}
