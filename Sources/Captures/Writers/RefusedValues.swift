/// The values that a characteristic refuses each time that they are written, while it takes others: the refusal is
/// about the value, as with those that a control point does not know.
struct RefusedValues {
    struct Refusal: Hashable {
        let value: [UInt8]
        let error: UInt8
        /// How often it was seen.
        var count = 1
        /// Where it was seen first.
        let packet: Int
    }

    /// In the order in which they were written first.
    private(set) var refusals: [Refusal] = []

    /// More are no list of values any longer.
    private static let maximumRefusals = 50
    /// Client Characteristic Configuration Improperly Configured, and Procedure Already in Progress: they are about
    /// what was before. (Core Specification Supplement, Part B, 1.2)
    private static let passingErrors: Set<UInt8> = [0xFD, 0xFE]

    /// - Parameter handle: of the characteristic's value.
    init(_ sessions: [Session], _ handle: UInt16) {
        var accepted: Set<[UInt8]> = []
        var doubtful: Set<[UInt8]> = []
        var places: [[UInt8]: Int] = [:]
        for event in sessions.flatMap(\.events) {
            guard case .write(handle, let value, true, let outcome) = event.kind else { continue }
            switch outcome {
            case .success: accepted.insert(value)
            case .error(let code) where Self.passingErrors.contains(code): doubtful.insert(value)
            case .error(let code) where !CharacteristicImport.securityErrors.contains(code):
                guard let place = places[value] else {
                    places[value] = refusals.count
                    refusals.append(Refusal(value: value, error: code, packet: event.mark.number))
                    continue
                }
                if refusals[place].error == code { refusals[place].count += 1 } else { doubtful.insert(value) }
            default: break
            }
        }
        refusals.removeAll { accepted.contains($0.value) || doubtful.contains($0.value) }
        if accepted.isEmpty || refusals.count > Self.maximumRefusals { refusals = [] }
    }

    var values: Set<[UInt8]> { Set(refusals.map(\.value)) }
}
