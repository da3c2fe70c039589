/// A wall between two points, which weakens what goes through it.
public struct Wall: Sendable, Equatable {
    public var from: Position
    public var to: Position
    /// In dB. A drywall takes 3 to 5, concrete 10 to 15.
    public var loss: Double

    public init(from: Position, to: Position, loss: Double) {
        self.from = from
        self.to = to
        self.loss = loss
    }

    /// Whether the straight line between two points goes through it. Who is in the wall is on the side of its left.
    func isCrossed(_ first: Position, _ second: Position) -> Bool {
        isLeft(from, to, first) != isLeft(from, to, second) && isLeft(first, second, from) != isLeft(first, second, to)
    }

    private func isLeft(_ begin: Position, _ end: Position, _ point: Position) -> Bool {
        (end.x - begin.x) * (point.y - begin.y) - (end.y - begin.y) * (point.x - begin.x) >= 0
    }
}
