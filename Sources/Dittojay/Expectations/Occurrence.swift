import Foundation

/// Something that a central has done, which steps of a scenario wait for or expect.
struct Occurrence {
    var occasion: ScenarioStep.Occasion
    /// The characteristic that it has happened to, if to any.
    var characteristic: CharacteristicPath?
    /// The value that was read or written.
    var value: Data?
    /// The ATT error that the request was refused with.
    var attError: UInt8?

    init(
        _ occasion: ScenarioStep.Occasion, to characteristic: CharacteristicPath? = nil, value: Data? = nil,
        attError: UInt8? = nil
    ) {
        self.occasion = occasion
        self.characteristic = characteristic
        self.value = value
        self.attError = attError
    }
}

extension ScenarioExpectation.Event {
    func matches(_ occurrence: Occurrence) -> Bool {
        guard occasion == occurrence.occasion, attError == occurrence.attError,
            characteristic == nil || characteristic == occurrence.characteristic
        else { return false }
        return value?.matches(occurrence.value ?? Data()) ?? true
    }
}
