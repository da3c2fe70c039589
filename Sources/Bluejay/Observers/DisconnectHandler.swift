/// Decides after a disconnect whether to reconnect.
public protocol DisconnectHandler: AnyObject {
    /// Called on the main queue after the connection observers. Also called for requested disconnects, but not when
    /// Bluetooth was switched off.
    ///
    /// - Parameters:
    ///   - peripheral: the peripheral that was connected or connecting.
    ///   - error: CoreBluetooth's reason; nil for a disconnect that the program requested.
    ///   - autoReconnect: whether Bluejay reconnects if the answer is ``AutoReconnectMode/noChange``.
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: Error?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode
}
