/// How far an expectation has come.
struct ExpectationProgress {
    /// What is to happen yet, and how often.
    private var outstanding: [ScenarioExpectation.Event]
    private let order: ScenarioExpectation.Order
    /// What has happened though it must not.
    private(set) var violation: ScenarioExpectation.Event?

    private let isForbidden: Bool
    private let forbidden: [ScenarioExpectation.Event]

    init(_ expectation: ScenarioExpectation) {
        outstanding = expectation.events
        forbidden = expectation.events
        order = expectation.order
        isForbidden = expectation.isForbidden
    }

    /// Whether all that is expected has happened. An expectation that something does not happen is met when its time
    /// has passed.
    var isMet: Bool { !isForbidden && outstanding.isEmpty }

    /// What is to happen yet, for people.
    var missing: String {
        outstanding.map(\.description).joined(separator: order == .given ? ", then " : " and ")
    }

    /// Something has happened.
    mutating func take(_ occurrence: Occurrence) {
        take { $0.matches(occurrence) }
    }

    /// Takes what is the case already.
    ///
    /// - Parameter isCase: whether a central is connected or subscribed as an event has it.
    mutating func takeState(_ isCase: (ScenarioExpectation.Event) -> Bool) {
        // Of a list in an order, only what comes next can be the case before anything else happens.
        while !outstanding.isEmpty {
            let count = outstanding.count
            take { $0.times == 1 && isCase($0) }
            if isForbidden || outstanding.count == count { return }
        }
    }

    private mutating func take(where matches: (ScenarioExpectation.Event) -> Bool) {
        if isForbidden {
            for index in outstanding.indices where violation == nil && matches(outstanding[index]) {
                outstanding[index].times -= 1
                if outstanding[index].times == 0 { violation = forbidden[index] }
            }
            return
        }
        let candidates = order == .given ? outstanding.indices.prefix(1) : outstanding.indices
        guard let index = candidates.first(where: { matches(outstanding[$0]) }) else { return }
        outstanding[index].times -= 1
        if outstanding[index].times == 0 { outstanding.remove(at: index) }
    }
}
