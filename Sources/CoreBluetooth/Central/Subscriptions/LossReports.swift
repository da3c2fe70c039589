import BlueZ
import MainLoop

/// Reports losses: the first one at once, and what follows it within a second in one.
@LoopActor
final class LossReports {
    private static let interval: Duration = .seconds(1)

    private let report: @LoopActor (PacketLoss) -> Void
    private let interval: Duration
    private var unreported = PacketLoss()
    private var timer: LoopSource?

    init(interval: Duration = interval, _ report: @escaping @LoopActor (PacketLoss) -> Void) {
        self.interval = interval
        self.report = report
    }

    func add(_ loss: PacketLoss) {
        unreported += loss
        if timer == nil { flush() }
    }

    /// Reports what has not been reported yet. No more is to come.
    func end() {
        flush()
        timer = nil
    }

    private func flush() {
        timer = nil
        guard !unreported.isEmpty else { return }
        let loss = unreported
        unreported = PacketLoss()
        timer = .timer(after: interval) { [weak self] in self?.flush() }
        report(loss)
    }
}
