public import UIKitStandIns

/// Receives values that have no listener, as after a restoration, and decides what to do. Called on the main queue.
public protocol ListenRestorer: UIApplicationDelegate {
    /// A value has arrived that has no listener.
    ///
    /// - Parameters:
    ///   - peripheral: the connected peripheral.
    ///   - characteristic: the characteristic of the value.
    ///   - value: the bytes. They are not delivered again.
    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction
}

/// What to do with a characteristic that notifies without a listener.
public enum ListenRestoreAction: Swift.Sendable {
    /// Leave notifications on: the program listens to the characteristic again, best inside the restorer's method.
    case promiseRestoration
    /// Turn notifications off.
    case stopListen
}
