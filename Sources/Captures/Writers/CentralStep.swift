import Foundation
import ProfileWriting

/// Something that the central did, as the peripheral sees it.
struct CentralStep {
    enum Occasion: Hashable {
        case connected, disconnected
        case subscribed(ClonedDevice.Place)
        case unsubscribed(ClonedDevice.Place)
        case read(ClonedDevice.Place)
        case written(ClonedDevice.Place)
    }

    let occasion: Occasion
    /// The value that was written; nil: any.
    var value: [UInt8]?
    /// The ATT error with which it was refused.
    let error: UInt8?
    var times = 1
    /// Seconds since the step before, the longest of all links.
    var delay: Double
    let packet: Int

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

    /// From so many writes on, that follow each other and differ, they are only counted: a file that is sent, for
    /// example.
    private static let maximumDifferentWrites = 8

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
            case .disconnected:
                add(.disconnected, event)
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
            case .encrypted, .mtu, .value, .truncatedValue: break
            }
        }
        countWrites()
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
        let step = CentralStep(
            occasion: occasion, value: value, error: error, delay: delay, packet: event.mark.number)
        if let last = steps.last, last.occasion == occasion, last.error == error, last.value == value {
            steps[steps.count - 1].times += 1
            steps[steps.count - 1].delay += delay
        } else {
            steps.append(step)
        }
    }

    /// Makes one step of many writes in a row.
    private mutating func countWrites() {
        var counted: [CentralStep] = []
        var begin = 0
        while begin < steps.count {
            let first = steps[begin]
            var end = begin + 1
            if case .written = first.occasion {
                while end < steps.count, steps[end].occasion == first.occasion, steps[end].error == first.error {
                    end += 1
                }
            }
            if end - begin > Self.maximumDifferentWrites {
                var whole = first
                whole.value = nil
                whole.times = steps[begin..<end].reduce(0) { $0 + $1.times }
                whole.delay = steps[begin..<end].reduce(0) { $0 + $1.delay }
                counted.append(whole)
            } else {
                counted += steps[begin..<end]
            }
            begin = end
        }
        steps = counted
    }
}
