/// A value that can be read from a characteristic or received in a notification.
public protocol Receivable {
    /// Creates the value from received bytes. Check lengths here. The completion of the read or listen receives the
    /// error.
    init(bluetoothData: Data) throws
}
