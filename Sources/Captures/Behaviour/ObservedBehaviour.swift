/// What a device does: its answers to writes, and what it sends by itself.
package struct ObservedBehaviour: Sendable {
    /// A value of a recording.
    package struct SentValue: Sendable {
        /// Seconds since the recording began.
        package let time: Double
        package let handle: UInt16
        package let bytes: [UInt8]
        package let packet: Int
    }

    /// By the handle of the value that is written.
    package private(set) var reactions: [UInt16: ObservedReactions] = [:]
    /// By the handle of the value that is sent.
    package private(set) var counters: [UInt16: CountingNotifications] = [:]
    /// By the handle of the value that is sent.
    package private(set) var subscriptionValues: [UInt16: SubscriptionValue] = [:]
    /// Of the link on which the most values were sent.
    package private(set) var recording: [SentValue] = []
    /// The link that is recorded.
    package private(set) var recordedLink: Int?
    /// Values of other links, which no recording has.
    package private(set) var otherValues = 0
    /// Battery levels from before the recording's beginning, which no recording has.
    package private(set) var earlyLevels = 0
    /// Values beyond what a recording can have.
    package private(set) var omittedValues = 0
    package private(set) var leftOut: [ObservedDevice.Remark] = []

    /// Those of all characteristics: a file has a limit.
    private static let maximumReactions = 1000

    /// - Parameters:
    ///   - sessions: of one vantage.
    ///   - senders: values that notify or indicate, by their handles.
    ///   - configurations: the handles of Client Characteristic Configurations, by those of their values.
    ///   - levels: battery levels, by their handles.
    ///   - measurements: values that answer no writes, by their handles.
    ///   - excluded: values that something else sends, by their handles.
    ///   - maximumValues: how many a recording can have.
    init(
        _ sessions: [Session], values: Set<UInt16>, senders: Set<UInt16>, configurations: [UInt16: UInt16],
        levels: Set<UInt16>, measurements: Set<UInt16>, excluded: Set<UInt16>, maximumValues: Int
    ) {
        let answers = WriteAnswers(sessions, independent: measurements) {
            values.contains($0) && !excluded.contains($0)
        }
        let prompt = PromptAnswers(answers)
        explain(prompt.uncertain.intersection(values).subtracting(excluded).subtracting(levels))
        let writes = Dictionary(grouping: answers.occurrences(with: prompt), by: \.handle)
        var explained: Set<Int> = []
        var count = 0
        for (handle, occurrences) in writes.sorted(by: { $0.key < $1.key }) where count < Self.maximumReactions {
            var finder = ReactionFinder(occurrences)
            finder.find()
            leftOut += finder.leftOut
            guard finder.found.echo != nil || !finder.found.reactions.isEmpty else { continue }
            reactions[handle] = finder.found
            count += finder.found.reactions.count
            explained.formUnion(finder.found.packets)
        }
        let own = answers.senders.intersection(values).subtracting(excluded).subtracting(answers.answering)
        for handle in own {
            subscriptionValues[handle] = SubscriptionValue(
                sessions, handle, configuration: configurations[handle])
        }
        let begin = RecordingBegin(senders: senders.subtracting(levels), configurations: configurations)
        record(sessions, begin, levels, maximumValues) { [subscriptionValues] handle, packet in
            values.contains(handle) && !excluded.contains(handle) && !explained.contains(packet)
                && subscriptionValues[handle] == nil
        }
    }

    private mutating func explain(_ uncertain: Set<UInt16>) {
        for sender in uncertain.sorted() {
            leftOut.append(
                .init(
                    text: "possible answers on \(HandleText.text(sender)): it also sends by itself, so they stay in "
                        + "the recording", packet: nil))
        }
    }

    private mutating func record(
        _ sessions: [Session], _ recordingBegin: RecordingBegin, _ levels: Set<UInt16>, _ maximumValues: Int,
        _ isRecorded: (UInt16, Int) -> Bool
    ) {
        func values(_ session: Session) -> [(handle: UInt16, bytes: [UInt8], mark: PacketMark)] {
            session.events.compactMap { event in
                guard case .value(let handle, let bytes, _) = event.kind, isRecorded(handle, event.mark.number) else {
                    return nil
                }
                return (handle, bytes, event.mark)
            }
        }
        let counts = sessions.map { values($0).count }
        guard let most = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[most] > 0 else { return }
        let session = sessions[most]
        var sent = values(session)
        recordedLink = session.link
        otherValues = counts.reduce(0, +) - counts[most]
        for (handle, values) in Dictionary(grouping: sent, by: \.handle) {
            counters[handle] = CountingNotifications(values.map { ($0.mark.time, $0.bytes) })
        }
        sent.removeAll { counters[$0.handle] != nil }
        // As in playback, which a battery's level begins only if there is nothing else: hosts such as bluetoothd
        // subscribe to it by themselves, and a bonded one has done so before.
        guard let first = sent.first(where: { !levels.contains($0.handle) }) ?? sent.first else { return }
        let handles = Set(sent.map(\.handle))
        let starters = handles.isSubset(of: levels) ? handles : handles.subtracting(levels)
        let begin = recordingBegin.time(session, first: first.mark, starters: starters)
        let count = sent.count
        sent.removeAll { levels.contains($0.handle) && $0.mark.number < first.mark.number && $0.mark.time < begin }
        earlyLevels = count - sent.count
        omittedValues = max(0, sent.count - maximumValues)
        var last = 0.0
        for value in sent.prefix(maximumValues) {
            // A clock that was set back must not make the recording go back.
            last = max(last, Double(value.mark.time - begin) / 1_000_000)
            recording.append(
                SentValue(time: last, handle: value.handle, bytes: value.bytes, packet: value.mark.number))
        }
    }
}
