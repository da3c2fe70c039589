/// Decides after a disconnect whether to connect again.
public protocol DisconnectHandler: AnyObject {
    /// Called on the main queue after the connection observers, for requested disconnects too, but not when Bluetooth
    /// went off.
    ///
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - error: CoreBluetooth's reason; nil for a disconnect that the program asked for.
    ///   - autoReconnect: whether Bluejay will connect again if the answer is ``AutoReconnectMode/noChange``.
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: Error?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode
}
