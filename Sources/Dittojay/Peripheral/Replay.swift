import Foundation
import MainLoop

/// Sends the values of a recording on one time line, in their order. Used on the peripheral's queue only.
final class Replay {
    /// Called when it begins, and when its last value was sent; not when it ends early, or for battery levels alone.
    var onChange: ((_ isPlaying: Bool) -> Void)?

    private let recording: Recording
    private let services: SimulatedServices
    private let senders: [CharacteristicPath: SimulatedCharacteristic]
    /// Those whose subscriptions begin it and keep it going. Hosts such as bluetoothd subscribe to a battery's level by
    /// themselves, long before their programs subscribe to anything.
    private let starters: [SimulatedCharacteristic]
    /// Battery levels, if they are not the starters.
    private let levels: [SimulatedCharacteristic]
    private var state = State.idle
    private var timer: OneShotTimer?

    private enum State {
        /// Nobody is subscribed to anything that is sent.
        case idle
        /// There are subscribers; more subscriptions may follow.
        case gathering(Part)
        /// The value at `index` is next; its round began at `start`.
        case playing(Part, start: Double, index: Int)
        /// Everything was sent, and there are subscribers still.
        case done(Part)

        var part: Part? {
            switch self {
            case .idle: nil
            case .gathering(let part), .playing(let part, _, _), .done(let part): part
            }
        }
    }

    /// What of the recording is sent.
    private enum Part {
        case everything
        /// Nobody is subscribed to anything else.
        case levels
    }

    /// After this many values the queue's other work gets its turn.
    private static let portion = 64

    init(_ recording: Recording, services: SimulatedServices) {
        self.recording = recording
        self.services = services
        var senders: [CharacteristicPath: SimulatedCharacteristic] = [:]
        for path in Set(recording.values.map(\.characteristic)) { senders[path] = services.characteristic(at: path) }
        self.senders = senders
        let others = senders.values.filter { $0.profile.uuid != Self.batteryLevel }
        starters = others.isEmpty ? Array(senders.values) : others
        levels = others.isEmpty ? [] : senders.values.filter { $0.profile.uuid == Self.batteryLevel }
    }

    private static let batteryLevel = "2A19"

    /// To be called after each change of the subscriptions.
    func subscriptionsChanged() {
        guard let part = subscribedPart else {
            timer?.cancel()
            timer = nil
            return state = .idle
        }
        switch state {
        case .playing, .done: if state.part == part { return }
        case .idle, .gathering: break
        }
        let isComplete = services.characteristics.allSatisfy { characteristic in
            characteristic.registration == nil || !characteristic.profile.notifies
                || !characteristic.subscribers.isEmpty
        }
        state = .gathering(part)
        wake(in: isComplete ? 0 : Recording.startDelay)
    }

    private var subscribedPart: Part? {
        let isSubscribed = { (characteristic: SimulatedCharacteristic) in !characteristic.subscribers.isEmpty }
        if starters.contains(where: isSubscribed) { return .everything }
        return levels.contains(where: isSubscribed) ? .levels : nil
    }

    /// Sends what is due. To be called when there is room again.
    func resume() {
        if case .playing = state { play() }
    }

    private func wake(in seconds: Double) {
        timer?.cancel()
        timer = services.clock.after(seconds) { [weak self] in self?.timeHasCome() }
    }

    private func timeHasCome() {
        if case .gathering(let part) = state {
            state = .playing(part, start: services.clock.now, index: 0)
            if part == .everything { onChange?(true) }
        }
        resume()
    }

    private func play() {
        for _ in 0..<Self.portion {
            guard case .playing(let part, let start, let index) = state else { return }
            guard index < recording.values.count else {
                guard recording.repeats else {
                    state = .done(part)
                    if part == .everything { onChange?(false) }
                    return
                }
                state = .playing(part, start: start + max(recording.duration, Recording.shortestRound), index: 0)
                continue
            }
            let value = recording.values[index]
            let rest = start + value.time / recording.pace - services.clock.now
            if rest > 0 { return wake(in: rest) }
            if let sender = senders[value.characteristic], !sender.subscribers.isEmpty {
                // The time line goes on meanwhile: what is late is sent as soon as there is room, in its order.
                guard sender.sendGenerated(Data(value.bytes)) else { return }
            }
            // A fault of the profile may have ended the subscription, and this with it.
            if case .playing = state { state = .playing(part, start: start, index: index + 1) }
        }
        services.clock.queue.async(execute: DispatchWorkItem { [weak self] in self?.resume() })
    }
}
