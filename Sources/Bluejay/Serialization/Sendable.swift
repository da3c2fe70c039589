/// A value that can be written to a characteristic.
///
/// The name hides the standard library's protocol in files that import Bluejay; there, write `Swift.Sendable` for the
/// one about concurrency.
public protocol Sendable {
    /// The bytes that go over the air. Called when the write starts, on the main queue, not when it is queued; by the
    /// asynchronous form, however, at the call and where the caller runs.
    func toBluetoothData() -> Data
}
