public import UIKitStandIns

/// Receives the result of restoring the connection of an earlier run. Called on the main queue.
public protocol BackgroundRestorer: UIApplicationDelegate {
    /// The peripheral is connected. Called before ``ConnectionObserver/connected(to:)``.
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion

    /// The peripheral is not connected.
    ///
    /// - Parameters:
    ///   - peripheral: the peripheral of the earlier run.
    ///   - error: ``BluejayError/notConnected``, or why the new attempt to connect failed.
    func didFailToRestoreConnection(to peripheral: PeripheralIdentifier, error: Error) -> BackgroundRestoreCompletion
}

/// What Bluejay does after a call of the restorer.
public enum BackgroundRestoreCompletion {
    /// Call this closure at once. The place for calls to Bluejay.
    case callback(() -> Void)
    /// Nothing.
    case `continue`
}
