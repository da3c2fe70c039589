/// What an injected fault does, by its name in files, requests and commands. A characteristic of dittojay and a phantom
/// of the radio each have some of them.
package enum FaultAction: String, CaseIterable, Sendable {
    case noAnswer = "no-answer"
    case error, disconnect, delay, flood, drop, duplicate, resize
    /// A packet of ATT, valid or not.
    case packet

    package static func names(of actions: [FaultAction]) -> [String] { actions.map(\.rawValue) }
}
