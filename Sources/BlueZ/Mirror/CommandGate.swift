import DequeModule
package import MainLoop

/// Lets only some of a program's writes without response go to bluetoothd at a time; the others wait for their turn, in
/// the order in which they came.
///
/// A program may make thousands at once. The bus lets it wait for 128 answers only (`max_replies_per_connection`), and
/// refuses whatever it calls beyond them: these writes, and every other request.
@LoopActor
package final class CommandGate {
    private let limit: Int
    private var running = 0
    private var isAdmitting = false
    private var waiting: Deque<@LoopActor (Pass) -> Void> = []

    /// - Parameter limit: leaves room for other calls, and is more than it takes to keep bluetoothd busy.
    package nonisolated init(limit: Int = 64) {
        self.limit = limit
    }

    /// The right to have one write under way. It ends when it is released.
    @LoopActor
    package final class Pass {
        private let gate: CommandGate

        fileprivate init(_ gate: CommandGate) {
            self.gate = gate
        }

        isolated deinit { gate.leave() }
    }

    /// Calls `body` when it is its turn, now or later.
    package func enter(_ body: @escaping @LoopActor (Pass) -> Void) {
        waiting.append(body)
        admit()
    }

    private func leave() {
        running -= 1
        admit()
    }

    /// Calls those whose turn it is. One that releases its pass at once has the next one called by this same loop:
    /// thousands of them would not fit on the stack.
    private func admit() {
        guard !isAdmitting else { return }
        isAdmitting = true
        defer { isAdmitting = false }
        while running < limit, let next = waiting.popFirst() {
            running += 1
            next(Pass(self))
        }
    }
}
