import Synchronization

/// The events that a dittojay prints, each read once.
package final class EventLog: Swift.Sendable {
    private struct State {
        var events: [SensorEvent] = []
        /// How many lines were looked at.
        var lines = 0
    }

    private let process: ChildProcess
    private let state = Mutex(State())

    /// - Parameter process: a dittojay with `--json`.
    package init(of process: ChildProcess) {
        self.process = process
    }

    /// Those until now.
    package var events: [SensorEvent] { upToDate().events }

    private func upToDate() -> State {
        state.withLock { state in
            let lines = process.lines
            state.events += lines[state.lines...].compactMap(SensorEvent.init(line:))
            state.lines = lines.count
            return state
        }
    }

    /// Waits for an event, among those that have come and those that come.
    ///
    /// - Parameters:
    ///   - count: how many such events to wait for; the last one is returned.
    ///   - start: how many events to leave out.
    ///   - condition: what else it has to fulfil.
    @discardableResult
    package func event(
        _ kind: SensorEvent.Kind, count: Int = 1, from start: Int = 0, within timeout: Duration,
        where condition: @Sendable (SensorEvent) -> Bool = { _ in true }
    ) async throws -> SensorEvent {
        let begin = ContinuousClock.now
        let what = "the event \(kind.rawValue)" + (count > 1 ? ", \(count) times" : "")
        var (position, missing) = (start, count)
        while true {
            let state = upToDate()
            for event in state.events.dropFirst(position) where event.kind == kind && condition(event) {
                missing -= 1
                if missing == 0 { return event }
            }
            position = max(position, state.events.count)
            guard ContinuousClock.now - begin < timeout else { throw process.noSign(of: what, within: timeout) }
            try await process.index(ofLineWith: what, from: state.lines, within: timeout, since: begin) { _ in true }
        }
    }
}
