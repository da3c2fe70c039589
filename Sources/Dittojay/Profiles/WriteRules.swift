/// What happens when a characteristic is written.
///
/// First the length is checked, then the first reaction that matches is looked up. Unless that refuses the value, the
/// effects take place, the central gets its answer, and the reaction's steps are played.
public struct WriteRules: Hashable, Swift.Sendable {
    /// Writes of other lengths, in bytes, are refused with 0x0D.
    public var lengths: ClosedRange<Int>
    public var effects: [WriteEffect]
    /// What certain values do; only the first reaction that matches counts.
    public var reactions: [WriteReaction]

    public init(
        lengths: ClosedRange<Int> = 0...512, effects: [WriteEffect] = [], reactions: [WriteReaction] = []
    ) {
        self.lengths = lengths
        self.effects = effects
        self.reactions = reactions
    }
}

/// What an accepted write does.
public enum WriteEffect: Hashable, Swift.Sendable {
    /// Set the value that reads return.
    case store
    /// The value is sent to the subscribers of a characteristic; without room for it the write is refused with 0x11.
    case echo(to: CharacteristicPath)
    /// The write and its bytes are counted, see ``CharacteristicProfile/ValueSource/writeCount(of:)``.
    case count
    /// The simulation of the standard service gets the value, see ``ServiceProfile/standard``.
    case simulated
}

/// What a certain value does when it is written: a request of a protocol, and its response.
public struct WriteReaction: Hashable, Swift.Sendable {
    public enum Match: Hashable, Swift.Sendable {
        /// Exactly this value.
        case value([UInt8])
        /// All values that begin with these bytes.
        case prefix([UInt8])
        /// All values that look like this.
        case pattern(BytePattern)
        case any

        /// Whether a value that is written is meant.
        package func matches(_ value: some Collection<UInt8>) -> Bool {
            switch self {
            case .value(let bytes): value.elementsEqual(bytes)
            case .prefix(let bytes): value.starts(with: bytes)
            case .pattern(let pattern): pattern.matches(value)
            case .any: true
            }
        }
    }

    public enum Outcome: Hashable, Swift.Sendable {
        /// The write is refused with this ATT error.
        case refuse(attError: UInt8)
        /// The write is accepted, and then these steps are played.
        case play([ScenarioStep])
    }

    public var match: Match
    public var outcome: Outcome

    public init(_ match: Match, _ outcome: Outcome) {
        self.match = match
        self.outcome = outcome
    }
}
