import AssignedNumbers

/// The service that makes a central pair: its value can only be read over an encrypted link.
package enum PairingService {
    /// The service.
    package static let uuid = "16274BFE-C539-416C-9646-CA3F991DADD6"
    /// A UTF-8 text.
    package static let text = "E4D4A76C-B9F1-422F-8BBA-18508356A145"

    static let names: [(kind: AssignedKind, uuid: String, name: String)] = [
        (.service, uuid, "Pairing Service"),
        (.characteristic, text, "Pairing Text"),
    ]
}
