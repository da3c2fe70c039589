/// A disconnect handler's answer: whether to reconnect.
public enum AutoReconnectMode: Swift.Sendable {
    /// As Bluejay would do without a handler.
    case noChange
    /// As this value says.
    case change(shouldAutoReconnect: Bool)
}
