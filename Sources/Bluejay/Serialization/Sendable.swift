/// A value that can be written to a characteristic.
///
/// In files that import Bluejay, this name hides the standard library's protocol for concurrency. Write
/// `Swift.Sendable` for that one.
public protocol Sendable {
    /// The bytes to send. Called on the main queue when the write starts, not when it is queued. The asynchronous form
    /// calls it at once, where its caller runs.
    func toBluetoothData() -> Data
}
