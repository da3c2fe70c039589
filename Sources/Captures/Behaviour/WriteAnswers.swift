/// Which values the device sends in answer to which writes. A value is an answer if its characteristic never sends
/// anything but shortly after a write; ``PromptAnswers`` finds others.
struct WriteAnswers {
    struct Answer: Hashable {
        let handle: UInt16
        let value: [UInt8]
    }

    /// One write, and what followed it until the next one.
    struct Occurrence {
        let handle: UInt16
        let value: [UInt8]
        let mark: PacketMark
        var answers: [Answer] = []
        /// Seconds from the write, or the answer before.
        var delays: [Double] = []
        /// Where the answers are, by the packets' numbers.
        var packets: [Int] = []
    }

    /// In their order, with the answers of ``answering``.
    let occurrences: [Occurrence]
    /// The same with everything that came shortly after them.
    let candidates: [Occurrence]
    /// How many values each characteristic has sent, by the handles of their values.
    let totals: [UInt16: Int]
    /// How long all links were, in seconds.
    let duration: Double
    /// Those that send nothing but answers.
    let answering: Set<UInt16>
    /// Those that have also sent when no write was shortly before.
    private let sendingByThemselves: Set<UInt16>
    /// Those that writes do not change, by the handles of their values.
    let independent: Set<UInt16>

    /// How long after a write a value still counts as its answer.
    private static let maximumDelay: Int64 = 2_000_000
    /// The same for a characteristic that has sent only after one write, and how many values that may be at most: the
    /// device may send others by itself.
    private static let maximumSingleDelay: Int64 = 500_000
    private static let maximumSingleAnswers = 7

    /// - Parameters:
    ///   - independent: values that are no answers, by their handles.
    ///   - isValue: whether a handle is that of a characteristic's value.
    ///   - isConfiguration: whether a handle is that of a Client Characteristic Configuration. If it is given, a
    ///     characteristic may also have answered a single write, with no subscription in between.
    init(
        _ sessions: [Session], independent: Set<UInt16>, isValue: (UInt16) -> Bool,
        isConfiguration: ((UInt16) -> Bool)? = nil
    ) {
        var occurrences: [Occurrence] = []
        var total: [UInt16: Int] = [:]
        var answered: [UInt16: Int] = [:]
        var writes: [UInt16: Set<Int>] = [:]
        var slow: Set<UInt16> = []
        for session in sessions {
            // The write that values are answers to, and when the last of them came.
            var current: Int?
            var last: Int64 = 0
            for event in session.events {
                switch event.kind {
                case .write(let handle, let value, _, .success) where isValue(handle):
                    current = occurrences.count
                    last = event.mark.time
                    occurrences.append(Occurrence(handle: handle, value: value, mark: event.mark))
                case .write(let handle, _, _, _) where isConfiguration?(handle) ?? false: current = nil
                case .value(let handle, let value, _):
                    total[handle, default: 0] += 1
                    guard let index = current, event.mark.time - last <= Self.maximumDelay else { break }
                    answered[handle, default: 0] += 1
                    writes[handle, default: []].insert(index)
                    occurrences[index].answers.append(Answer(handle: handle, value: value))
                    occurrences[index].delays.append(max(0, Double(event.mark.time - last) / 1_000_000))
                    occurrences[index].packets.append(event.mark.number)
                    if event.mark.time - last > Self.maximumSingleDelay { slow.insert(handle) }
                    last = event.mark.time
                case .truncatedValue(let handle): total[handle, default: 0] += 1
                case .disconnected: current = nil
                default: break
                }
            }
        }
        let answering = Set(
            total.filter { handle, count in
                guard count == answered[handle], let writes = writes[handle]?.count, !independent.contains(handle)
                else { return false }
                return writes > 1
                    || (isConfiguration != nil && count <= Self.maximumSingleAnswers && !slow.contains(handle))
            }.keys)
        totals = total
        duration = sessions.reduce(0) { $0 + $1.duration }
        self.independent = independent
        self.answering = answering
        sendingByThemselves = Set(total.filter { $1 != answered[$0] }.keys).subtracting(independent)
        candidates = occurrences
        self.occurrences = occurrences.map { $0.only(answering) }
    }

    /// The characteristics that send, by the handles of their values.
    var senders: Set<UInt16> { Set(totals.keys) }

    /// Whether a characteristic, by the handle of its value, does not only answer, although it may answer as well.
    func sendsByItself(_ handle: UInt16) -> Bool { sendingByThemselves.contains(handle) }

    /// The writes with these answers as well.
    func occurrences(with prompt: PromptAnswers) -> [Occurrence] {
        guard !prompt.pairs.isEmpty else { return occurrences }
        let senders = Dictionary(grouping: prompt.pairs, by: \.written).mapValues { Set($0.map(\.sender)) }
        return candidates.map { $0.only(answering, prompt: senders[$0.handle] ?? []) }
    }
}

extension Session {
    /// In seconds.
    fileprivate var duration: Double {
        guard let first = events.first, let last = events.last else { return 0 }
        return max(0, Double(last.mark.time - first.mark.time) / 1_000_000)
    }
}

extension WriteAnswers.Occurrence {
    /// The same with the answers of these characteristics alone.
    ///
    /// - Parameter prompt: those whose answers end with the first long pause.
    fileprivate func only(_ handles: Set<UInt16>, prompt: Set<UInt16> = []) -> Self {
        guard !answers.allSatisfy({ handles.contains($0.handle) }) else { return self }
        var copy = self
        copy.answers = []
        copy.delays = []
        copy.packets = []
        // The time of what is left out is that of what follows.
        var skipped = 0.0
        var prompt = prompt
        for (index, answer) in answers.enumerated() {
            let delay = delays[index] + skipped
            if delay > PromptAnswers.maximumDelay { prompt.remove(answer.handle) }
            guard handles.contains(answer.handle) || prompt.contains(answer.handle) else {
                skipped = delay
                continue
            }
            copy.answers.append(answer)
            copy.delays.append(delay)
            copy.packets.append(packets[index])
            skipped = 0
        }
        return copy
    }
}
