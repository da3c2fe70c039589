/// A disconnect handler's answer: whether to connect again.
public enum AutoReconnectMode: Swift.Sendable {
    /// As it was going to be.
    case noChange
    /// As given here.
    case change(shouldAutoReconnect: Bool)
}
