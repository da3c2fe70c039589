import DBus

/// What shows notifications on a desktop. Specification: Desktop Notifications, 1.2
/// (https://specifications.freedesktop.org/notification-spec/latest/).
enum Notifications: BusInterface {
    static let name = "org.freedesktop.Notifications"
    /// The server's name on the session bus.
    static let busName = "org.freedesktop.Notifications"
    static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("Notifications")

    // MARK: Methods

    static let closeNotification = Method("CloseNotification")
    static let getCapabilities = Method("GetCapabilities")
    static let notify = Method("Notify")

    // MARK: Signals

    /// The notification's number, and the action's key.
    static let actionInvoked = Signal("ActionInvoked")
    /// The notification's number, and why: see ``CloseReason``.
    static let notificationClosed = Signal("NotificationClosed")

    /// The reasons that are distinguished.
    enum CloseReason {
        static let expired: UInt32 = 1
    }

    /// What a server may be able to do.
    enum Capability {
        static let actions = "actions"
        static let bodyMarkup = "body-markup"
    }
}
