/// What has happened while a list of steps is played, as far as a step that waits counts it: since the step before it
/// began. If that one waited as well, since what ended its wait.
struct RecentOccurrences {
    /// An occurrence without its value, of which there may be any number.
    private struct Kind: Hashable {
        let occasion: ScenarioStep.Occasion
        let characteristic: CharacteristicPath?
    }

    private var duringThisStep: Set<Kind> = []
    private var duringLastStep: Set<Kind> = []

    mutating func take(_ occurrence: Occurrence) {
        // No step waits for a request that is refused.
        guard occurrence.attError == nil else { return }
        duringThisStep.insert(Kind(occasion: occurrence.occasion, characteristic: occurrence.characteristic))
    }

    mutating func stepBegins() {
        duringLastStep = duringThisStep
        duringThisStep = []
    }

    /// Whether what a step waits for happened during the step before.
    func hasHappened(_ event: ScenarioExpectation.Event) -> Bool {
        duringLastStep.contains { event.matches(Occurrence($0.occasion, to: $0.characteristic)) }
    }
}
