/// Why a scene could not be played, or the radio did not do what it was asked for.
public enum RadioError: Error, Equatable, CustomStringConvertible, Swift.Sendable {
    /// The radio refuses: there is no such device, or a value cannot be.
    ///
    /// - Parameters:
    ///   - command: as it can be typed.
    ///   - reason: what the radio has said.
    case refused(command: String, reason: String)
    /// The lab has no virtual radio, or the program that commands it did not answer.
    case noRadio(String)
    /// The scene has mistakes, each with its file, its place and what would be right.
    case mistakes([String])
    /// What was waited for did not happen in time. The text has what happened instead.
    case missing(String)

    /// For people.
    public var description: String {
        switch self {
        case .refused(let command, let reason): "\(command): \(reason)"
        case .noRadio(let text): "the lab's virtual radio is not available: \(text)"
        case .mistakes(let lines): lines.joined(separator: "\n")
        case .missing(let text): text
        }
    }
}
