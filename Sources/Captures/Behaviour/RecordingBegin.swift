import GATTProfiles

/// Finds when dittojay would have begun a recording: when the central had subscribed to everything that notifies or
/// indicates, or some time after its last subscription if it had not.
struct RecordingBegin {
    /// By the handles of their values. Without battery levels, to which hosts such as bluetoothd subscribe by
    /// themselves.
    private let senders: Set<UInt16>
    /// The handles of values, by those of their Client Characteristic Configurations.
    private let values: [UInt16: UInt16]

    /// - Parameter configurations: the handles of Client Characteristic Configurations, by those of their values.
    init(senders: Set<UInt16>, configurations: [UInt16: UInt16]) {
        self.senders = senders
        values = Dictionary(configurations.map { ($1, $0) }, uniquingKeysWith: { $1 })
    }

    private static let delay = Int64(RecordingLimits.startDelay * 1_000_000)

    /// What the times of a recording count from, in microseconds. If its first value was sent before, they count from
    /// that: the others keep their distance from it.
    ///
    /// - Parameters:
    ///   - first: where the first value is.
    ///   - starters: the handles of values, a subscription to which begins the recording.
    func time(_ session: Session, first: PacketMark, starters: Set<UInt16>) -> Int64 {
        var subscribed: Set<UInt16> = []
        var begin: Int64?
        for event in session.events {
            let time = (event.answerMark ?? event.mark).time
            if let begin, begin <= time, event.mark.number > first.number { break }
            // A bonded central has subscribed on an earlier link.
            if case .value(let handle, _, _) = event.kind { subscribed.insert(handle) }
            guard case .write(let handle, let value, _, .success) = event.kind, let sender = values[handle],
                let isSubscription = value.subscription
            else { continue }
            if isSubscription { subscribed.insert(sender) } else { subscribed.remove(sender) }
            if subscribed.isDisjoint(with: starters) {
                begin = nil
            } else if isSubscription, begin.map({ $0 > time }) ?? true {
                begin = subscribed.isSuperset(of: senders) ? time : time + Self.delay
            }
        }
        return min(begin ?? first.time, first.time)
    }
}
