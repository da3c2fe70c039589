/// The program called Bluejay before ``Bluejay/start(mode:)`` or after ``Bluejay/stopAndExtractBluetoothState()``.
///
/// This library adds it as a type of its own, so that a `switch` over all cases of ``BluejayError`` stays complete.
public struct BluejayNotStartedError: LocalizedError, CustomNSError, Hashable, Swift.Sendable {
    public init() {}

    /// A sentence about what happened.
    public var errorDescription: String? { "Bluejay has not been started, or was stopped: call start(mode:) first." }

    /// The same as ``BluejayError/errorDomain``.
    public static var errorDomain: String { BluejayError.errorDomain }

    /// The number of the error as an `NSError`: 30, after those of ``BluejayError``.
    public var errorCode: Int { 30 }

    /// The description under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
