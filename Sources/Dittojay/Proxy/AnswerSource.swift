import CoreBluetooth

/// Answers the requests to characteristics in place of their profiles, now or later. Used on the peripheral's queue
/// only.
protocol AnswerSource: AnyObject {
    /// Reads the whole value of a characteristic.
    ///
    /// - Parameter done: called once.
    func read(_ path: CharacteristicPath, _ done: @escaping (Answer) -> Void)

    /// Writes a whole value.
    ///
    /// - Parameters:
    ///   - wantsResponse: false for a write without response, which is answered when it was passed on; nil if it is not
    ///     known what it is.
    ///   - done: called once.
    func write(
        _ value: Data, to path: CharacteristicPath, wantsResponse: Bool?, _ done: @escaping (Answer) -> Void)

    /// Turns notifications or indications on, for the first subscriber, or off, after the last one.
    ///
    /// - Parameter done: called once.
    func setNotifying(_ isOn: Bool, of path: CharacteristicPath, _ done: @escaping (Answer) -> Void)
}

/// What comes of a request to a characteristic.
struct Answer {
    enum Outcome {
        /// The value that was read or written; empty for a subscription.
        case value(Data)
        /// The central gets this instead.
        case refused(CBATTError)
        /// There will be no answer: the link to the device that was asked has ended, and the central's is about to.
        case lost
    }

    var outcome: Outcome
    /// What was read or was to be written before the value was replaced; nil if it was not.
    var original: Data?
    /// How long the device has taken, in seconds; nil if none was asked.
    var seconds: Double?
    /// What is to be done once the central has its answer.
    var reaction: [ScenarioStep] = []

    init(_ outcome: Outcome, seconds: Double? = nil) {
        self.outcome = outcome
        self.seconds = seconds
    }

    /// The answer of a profile.
    init(_ value: () throws(CBATTError) -> Data) {
        do throws(CBATTError) {
            outcome = .value(try value())
        } catch {
            outcome = .refused(error)
        }
    }

    /// The ATT error; nil if the request is not refused.
    var refusal: CBATTError? {
        if case .refused(let error) = outcome { error } else { nil }
    }

    /// The same with another value in place of the one that was read or was to be written.
    func replacing(by value: Data?) -> Answer {
        guard let value, case .value(let original) = outcome else { return self }
        var answer = self
        answer.outcome = .value(value)
        answer.original = original
        return answer
    }
}

/// What a proxy gives in place of what really is read, notified or written.
struct Replacements: Hashable {
    var read: Data?
    var notified: Data?
    var written: Data?
}
