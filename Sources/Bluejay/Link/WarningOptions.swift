/// The events for which iOS shows an alert while the app is suspended. No effect on Linux.
public struct WarningOptions: Swift.Sendable {
    /// No alerts.
    public static let `default` = WarningOptions(
        notifyOnConnection: false, notifyOnDisconnection: false, notifyOnNotification: false)

    let notifyOnConnection: Bool
    let notifyOnDisconnection: Bool
    let notifyOnNotification: Bool

    /// - Parameters:
    ///   - notifyOnConnection: alert when connected.
    ///   - notifyOnDisconnection: alert when disconnected.
    ///   - notifyOnNotification: alert at every notification.
    public init(notifyOnConnection: Bool, notifyOnDisconnection: Bool, notifyOnNotification: Bool) {
        self.notifyOnConnection = notifyOnConnection
        self.notifyOnDisconnection = notifyOnDisconnection
        self.notifyOnNotification = notifyOnNotification
    }

    /// The options as CoreBluetooth takes them.
    var connectOptions: [String: Any] {
        [
            CBConnectPeripheralOptionNotifyOnConnectionKey: notifyOnConnection,
            CBConnectPeripheralOptionNotifyOnDisconnectionKey: notifyOnDisconnection,
            CBConnectPeripheralOptionNotifyOnNotificationKey: notifyOnNotification,
        ]
    }
}
