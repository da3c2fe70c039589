import Foundation
import MainLoop

/// Counts values that begin with their number, as they come.
@MainActor
final class Arrivals {
    private(set) var received = 0
    /// How often a value was not the one after the last.
    private(set) var breaks = 0
    private let count: Int
    private var first = ContinuousClock.now
    private var last = ContinuousClock.now
    private var previous: UInt32?
    private let end = FirstOutcome<Void>()

    init(count: Int) {
        self.count = count
    }

    /// From the first value to the last.
    var span: Duration { last - first }

    func add(_ value: Data) {
        last = .now
        if received == 0 { first = last }
        received += 1
        var number: UInt32 = 0
        for byte in value.prefix(4).reversed() { number = number << 8 | UInt32(byte) }
        if let previous, number != previous &+ 1 { breaks += 1 }
        previous = number
        if received == count { end.report() }
    }

    /// Waits until all have arrived, or none has for this many seconds.
    func wait(timeout: Double) async {
        if received >= count { return }
        let watch = Task {
            while true {
                let before = received
                try await Task.sleep(for: .seconds(timeout))
                if received == before { return end.report() }
            }
        }
        await end.value()
        watch.cancel()
    }
}
