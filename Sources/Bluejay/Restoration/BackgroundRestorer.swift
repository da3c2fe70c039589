import UIKitStandIns

/// Is told what became of the connection of an earlier run. Called on the main queue.
public protocol BackgroundRestorer: UIApplicationDelegate {
    /// The peripheral is connected. Comes before ``ConnectionObserver/connected(to:)``.
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion

    /// The peripheral is not connected.
    ///
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - error: ``BluejayError/notConnected``, or why the renewed attempt to connect failed.
    func didFailToRestoreConnection(to peripheral: PeripheralIdentifier, error: Error) -> BackgroundRestoreCompletion
}

/// What a restorer wants done next.
public enum BackgroundRestoreCompletion {
    /// Call this at once. The place for calls to Bluejay.
    case callback(() -> Void)
    /// Nothing.
    case `continue`
}
