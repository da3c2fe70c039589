/// What a characteristic sends whenever it is subscribed to, and nothing else: one value, such as a battery's level.
package struct SubscriptionValue: Hashable, Sendable {
    /// Those of the links, in their order.
    package let values: [[UInt8]]

    /// On one link it may be chance.
    private static let minimumCount = 2
    /// A file with more of them is no longer one to read.
    private static let maximumCount = 100
    /// How soon it comes, in microseconds.
    private static let maximumDelay: Int64 = 500_000

    /// Nil unless that is so on each link with a subscription.
    ///
    /// - Parameters:
    ///   - handle: of the characteristic's value.
    ///   - configuration: its Client Characteristic Configuration. A bonded central has written it before: the
    ///     subscription is that of its link then, which counts from its encryption.
    init?(_ sessions: [Session], _ handle: UInt16, configuration: UInt16?) {
        var values: [[UInt8]] = []
        for session in sessions {
            var subscription: Int64?
            var isSubscribed = false
            var sent: [UInt8]?
            for event in session.events {
                switch event.kind {
                case .connected, .encrypted: if !isSubscribed { subscription = event.mark.time }
                case .write(configuration, let value, _, .success) where value.subscription == true:
                    subscription = (event.answerMark ?? event.mark).time
                    isSubscribed = true
                case .value(handle, let value, _):
                    guard sent == nil, let subscription, event.mark.time - subscription <= Self.maximumDelay else {
                        return nil
                    }
                    sent = value
                case .truncatedValue(handle): return nil
                default: break
                }
            }
            guard let sent else {
                if isSubscribed { return nil }
                continue
            }
            values.append(sent)
        }
        guard values.count >= Self.minimumCount, values.count <= Self.maximumCount else { return nil }
        self.values = Set(values).count == 1 ? [values[0]] : values
    }
}
