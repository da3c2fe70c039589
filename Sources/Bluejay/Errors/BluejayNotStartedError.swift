/// Something was asked for before ``Bluejay/start(mode:)``, or after ``Bluejay/stopAndExtractBluetoothState()``.
///
/// A type of its own, an addition of this library: a program's `switch` over all cases of ``BluejayError`` stays complete.
public struct BluejayNotStartedError: LocalizedError, CustomNSError, Hashable, Swift.Sendable {
    public init() {}

    /// What happened, in a sentence.
    public var errorDescription: String? { "Bluejay has not been started, or was stopped: call start(mode:) first." }

    /// As ``BluejayError/errorDomain``.
    public static var errorDomain: String { BluejayError.errorDomain }

    /// The number of the error as an `NSError`, beyond those of ``BluejayError``.
    public var errorCode: Int { 30 }

    /// The description under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
