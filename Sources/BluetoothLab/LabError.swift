/// Something that was expected did not happen. The message says what, and what was seen instead.
public struct LabError: Error, CustomStringConvertible, Swift.Sendable {
    /// The message.
    public let description: String

    /// An error with this message.
    public init(_ description: String) {
        self.description = description
    }
}
