import CoreBluetooth
import GATTProfiles
import MainLoop

/// Many notifications in a row, as fast as the link takes them or at a given rate. Used on the peripheral's queue only.
// @unchecked: all methods are called on the clock's queue, and what they schedule comes back there.
final class Burst: @unchecked Swift.Sendable {
    /// The size and speed of a burst.
    struct Plan: Hashable, Swift.Sendable {
        /// How many notifications.
        var count: Int
        /// Bytes in each.
        var size: Int
        /// How many in a second; as many as possible if nil.
        var rate: Double?

        static let possibleCounts = 1...100_000_000
        static let possibleSizes = ChirpService.Burst.minimumSize...LabService.maximumValueLength
    }

    /// The result of a burst.
    struct Outcome: Hashable, Swift.Sendable {
        /// How many notifications were handed over.
        var sent: Int
        /// How often there was no room and the burst had to wait.
        var waits: Int
        var seconds: Double
    }

    private let plan: Plan
    private let characteristic: SimulatedCharacteristic
    private let clock: any Clock
    private var completion: ((Result<Outcome, DittojayError>) -> Void)?
    private var sent = 0
    private var waits = 0
    private let started: Double
    private var timer: OneShotTimer?
    private var isScheduled = false

    /// How many are sent before the queue's other work gets its turn.
    private static let portion = 128
    /// How often a burst with a rate sends what is due, in seconds.
    private static let period = 0.002

    /// - Parameter completion: called once.
    init(
        _ plan: Plan, on characteristic: SimulatedCharacteristic, clock: any Clock,
        completion: @escaping (Result<Outcome, DittojayError>) -> Void
    ) {
        self.plan = plan
        self.characteristic = characteristic
        self.clock = clock
        started = clock.now
        self.completion = completion
    }

    func start() {
        if plan.rate != nil { timer = clock.after(Self.period) { [weak self] in self?.start() } }
        resume()
    }

    /// Sends as much as is due and as there is room for. Call it again when there is room.
    func resume() {
        guard completion != nil else { return }
        guard !characteristic.subscribers.isEmpty else {
            return finish(.failure(.refused("the last subscriber left after \(sent) of \(plan.count) notifications")))
        }
        let end = min(due, sent + Self.portion)
        while sent < end {
            let value = Data(ChirpService.Burst.bytes(number: UInt32(truncatingIfNeeded: sent), size: plan.size))
            guard characteristic.sendNow(value) else {
                waits += 1
                return
            }
            sent += 1
        }
        if sent == plan.count {
            finish(.success(Outcome(sent: sent, waits: waits, seconds: elapsed)))
        } else if sent < due, !isScheduled {
            isScheduled = true
            clock.queue.async { [weak self] in
                self?.isScheduled = false
                self?.resume()
            }
        }
    }

    /// Ends the burst early.
    func cancel(_ reason: String) {
        finish(.failure(.refused("\(reason) after \(sent) of \(plan.count) notifications")))
    }

    private var elapsed: Double {
        clock.now - started
    }

    /// How many should have been sent by now.
    private var due: Int {
        guard let rate = plan.rate else { return plan.count }
        let number = elapsed * rate + 1
        return number < Double(plan.count) ? Int(number) : plan.count
    }

    private func finish(_ result: Result<Outcome, DittojayError>) {
        timer?.cancel()
        timer = nil
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
