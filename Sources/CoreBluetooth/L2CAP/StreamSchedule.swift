/// Where the delegate of a stream is called.
// @unchecked: run loops may be given timers on any thread.
enum StreamSchedule: @unchecked Swift.Sendable {
    case runLoop(RunLoop, RunLoop.Mode)
    case queue(DispatchQueue)

    /// Has `action` called there.
    func run(_ action: @escaping @Sendable () -> Void) {
        switch self {
        // A timer, because it wakes a run loop that waits, which `perform(inModes:block:)` does not (Swift 6.3).
        case .runLoop(let loop, let mode):
            loop.add(Timer(timeInterval: 0, repeats: false) { _ in action() }, forMode: mode)
        case .queue(let queue): queue.async { action() }
        }
    }

    func isRunLoop(_ other: RunLoop, _ otherMode: RunLoop.Mode) -> Bool {
        if case .runLoop(let loop, let mode) = self { loop === other && mode == otherMode } else { false }
    }
}
