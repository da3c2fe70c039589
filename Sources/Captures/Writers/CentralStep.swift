import Foundation
import ProfileWriting

/// Something that the central did, or that ended its link, as the peripheral sees it.
struct CentralStep {
    enum Occasion: Hashable {
        case connected, disconnected
        /// Not by the central.
        case ended
        case subscribed(ClonedDevice.Place)
        case unsubscribed(ClonedDevice.Place)
        case read(ClonedDevice.Place)
        case written(ClonedDevice.Place)
    }

    let occasion: Occasion
    /// The value that was written; nil: any.
    var value: [UInt8]?
    /// How many values were written instead of ``value``, which are not in the scenario.
    var lostValues = 0
    /// The ATT error with which it was refused.
    let error: UInt8?
    var times = 1
    /// The writes that a value of the device followed before the next step.
    var answered = 0
    /// Seconds since the step before, the longest of all links.
    var delay: Double
    /// The same until the first one, if it was done several times.
    let pause: Double
    let packet: Int

    var isEndOfSubscription: Bool { if case .unsubscribed = occasion { true } else { false } }

    /// Whether another step is the same, except for its value.
    func isLike(_ other: CentralStep) -> Bool {
        occasion == other.occasion && error == other.error && times == other.times
    }

    /// What steps are compared by.
    struct Kind: Hashable {
        let occasion: Occasion
        let error: UInt8?
        let times: Int
    }

    var kind: Kind { Kind(occasion: occasion, error: error, times: times) }
}

/// What the central did on one link.
struct CentralSteps {
    private(set) var steps: [CentralStep] = []
    private var subscribed: Set<ClonedDevice.Place> = []
    /// When the last step was.
    private(set) var lastTime: Int64?

    /// Whether the last step is a write that no value has followed yet.
    private var isUnanswered = false

    private let clone: ClonedDevice
    private let includesFaults: Bool

    /// - Parameters:
    ///   - time: when the central did something on the link before.
    ///   - includesFaults: whether the profile refuses what was refused; otherwise it only refuses reads that always
    ///     were, and values that always were.
    init(
        _ session: Session, after time: Int64?, _ clone: ClonedDevice, places: [UInt16: ClonedDevice.Place],
        configurations: [UInt16: ClonedDevice.Place], includesFaults: Bool
    ) {
        self.clone = clone
        lastTime = time
        self.includesFaults = includesFaults
        for event in session.events {
            switch event.kind {
            case .connected: add(.connected, event)
            case .disconnected(let reason):
                add(isEndOfCentral(session, reason) ? .disconnected : .ended, event)
                subscribed = []
            case .read(let handle, let outcome):
                guard let place = places[handle], has(place, "read") else { break }
                add(.read(place), event, outcome)
            case .write(let handle, let value, _, let outcome):
                if let place = configurations[handle] {
                    guard outcome == .success([]), let isSubscription = value.subscription else { break }
                    subscribe(place, isSubscription, event)
                } else if let place = places[handle], has(place, "write", "write-without-response") {
                    add(.written(place), event, outcome, value: value)
                }
            case .truncatedWrite(let handle):
                guard let place = places[handle], has(place, "write", "write-without-response") else { break }
                add(.written(place), event)
            case .value, .truncatedValue: noteAnswer()
            case .encrypted, .mtu: break
            }
        }
        countTransfers()
    }

    /// Whether the central has ended the link, as far as that is known, or a fault does it.
    private func isEndOfCentral(_ session: Session, _ reason: UInt8?) -> Bool {
        switch session.ending(reason) {
        case .central, .unknown: true
        case .loss: false
        case .device: includesFaults && session.isAnsweredByEnd(session.events.count - 2)
        }
    }

    private func has(_ place: ClonedDevice.Place, _ properties: String...) -> Bool {
        let characteristic = characteristic(place)
        return properties.contains { characteristic.properties.contains($0) }
    }

    private func characteristic(_ place: ClonedDevice.Place) -> ClonedDevice.Characteristic {
        clone.services[place.service].characteristics[place.characteristic]
    }

    /// A request that lacks security does not reach the peripheral: bluetoothd refuses it.
    private mutating func add(
        _ occasion: CentralStep.Occasion, _ event: SessionEvent, _ outcome: SessionEvent.Outcome, value: [UInt8]? = nil
    ) {
        switch outcome {
        case .success, .truncated: add(occasion, event, value: value)
        case .error(let code) where CharacteristicImport.securityErrors.contains(code): break
        case .error(let code): add(occasion, event, value: value, error: refuses(occasion, value) ? code : nil)
        case .unanswered: break
        }
    }

    /// Whether the profile refuses what was refused.
    private func refuses(_ occasion: CentralStep.Occasion, _ value: [UInt8]?) -> Bool {
        guard !includesFaults else { return true }
        switch occasion {
        case .read(let place): return characteristic(place).readError != nil
        case .written(let place):
            guard let value, case .reactions(let reactions, _) = characteristic(place).writes else { return false }
            return reactions.contains { reaction in
                guard case .refuse = reaction.outcome else { return false }
                return reaction.match == .value(Data(value))
            }
        default: return false
        }
    }

    private mutating func subscribe(_ place: ClonedDevice.Place, _ isSubscription: Bool, _ event: SessionEvent) {
        guard has(place, "notify", "indicate") else { return }
        if isSubscription {
            if subscribed.insert(place).inserted { add(.subscribed(place), event) }
        } else if subscribed.remove(place) != nil {
            add(.unsubscribed(place), event)
        }
    }

    private mutating func add(
        _ occasion: CentralStep.Occasion, _ event: SessionEvent, value: [UInt8]? = nil, error: UInt8? = nil
    ) {
        let delay = lastTime.map { max(0, Double(event.mark.time - $0) / 1_000_000) } ?? 0
        lastTime = event.mark.time
        if case .written = occasion { isUnanswered = true } else { isUnanswered = false }
        let step = CentralStep(
            occasion: occasion, value: value, error: error, delay: delay, pause: delay, packet: event.mark.number)
        if let last = steps.last, last.occasion == occasion, last.error == error, last.value == value {
            steps[steps.count - 1].times += 1
            steps[steps.count - 1].delay += delay
        } else {
            steps.append(step)
        }
    }

    private mutating func noteAnswer() {
        guard isUnanswered else { return }
        steps[steps.count - 1].answered += 1
        isUnanswered = false
    }

    /// Makes one step of the writes of a transfer.
    private mutating func countTransfers() {
        var counted: [CentralStep] = []
        var begin = 0
        while begin < steps.count {
            let first = steps[begin]
            var end = begin + 1
            if case .written = first.occasion {
                while end < steps.count, steps[end].occasion == first.occasion, steps[end].error == first.error,
                    steps[end].pause < WriteRun.maximumPause
                {
                    end += 1
                }
            }
            let run = WriteRun(steps[begin..<end])
            if run.isTransfer { counted.append(run.whole) } else { counted += run.steps }
            begin = end
        }
        steps = counted
    }
}

/// Writes that follow each other, of which those next to each other differ.
private struct WriteRun {
    let steps: ArraySlice<CentralStep>
    private let times: Int

    /// Seconds between two writes: more is a user's or an app's pause, or the next of what it does at times.
    static let maximumPause = 2.0
    /// Fewer are no transfer.
    private static let minimumSteps = 9
    /// The length of a piece of what is sent, and seconds between two of them.
    private static let minimumLength = 20
    private static let quickPause = 0.5

    init(_ steps: ArraySlice<CentralStep>) {
        self.steps = steps
        times = steps.reduce(0) { $0 + $1.times }
    }

    /// Whether it sends a file, for example: pieces of one length follow each other closely, or others that differ and
    /// that nothing answers. Commands repeat.
    var isTransfer: Bool {
        guard steps.count >= Self.minimumSteps else { return false }
        let answered = steps.reduce(0) { $0 + $1.answered }
        return 2 * answered < times && 4 * newValues >= 3 * steps.count || 4 * pieces >= 3 * times
    }

    /// How many have a value that was not written before, and come soon.
    private var newValues: Int {
        var known: Set<[UInt8]> = []
        return steps.count { step in
            let isNew = step.value.map { known.insert($0).inserted } ?? true
            return isNew && (step.pause < Self.quickPause || step.packet == steps.first?.packet)
        }
    }

    /// How many look like pieces.
    private var pieces: Int {
        var counts: [Int: Int] = [:]
        for step in steps {
            guard let length = step.value?.count, length >= Self.minimumLength,
                step.delay < Self.quickPause * Double(step.times)
            else { continue }
            counts[length, default: 0] += step.times
        }
        return counts.values.max() ?? 0
    }

    /// All as one step.
    var whole: CentralStep {
        var whole = steps[steps.startIndex]
        whole.value = nil
        whole.lostValues = Set(steps.compactMap(\.value)).count
        whole.times = times
        whole.answered = steps.reduce(0) { $0 + $1.answered }
        whole.delay = steps.reduce(0) { $0 + $1.delay }
        return whole
    }
}
