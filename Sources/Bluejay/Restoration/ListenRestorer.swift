import UIKitStandIns

/// Is asked what to do with values that have no listener, as they come after a restoration. Called on the main queue.
public protocol ListenRestorer: UIApplicationDelegate {
    /// A value has come that nobody listens to.
    ///
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - characteristic: which one it came from.
    ///   - value: the bytes; they are not delivered again.
    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction
}

/// What to do with a characteristic that notifies without a listener.
public enum ListenRestoreAction: Swift.Sendable {
    /// Leave it on: the program listens to it (again), best from inside the restorer's method.
    case promiseRestoration
    /// Turn it off.
    case stopListen
}
