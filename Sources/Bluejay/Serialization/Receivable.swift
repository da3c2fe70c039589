/// A value that can be read from a characteristic or received in a notification.
public protocol Receivable {
    /// Creates the value from received bytes. What it throws reaches the completion of the read or listen; check lengths
    /// here.
    init(bluetoothData: Data) throws
}
