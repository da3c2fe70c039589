/// Attributes that were used only on links that are or may be encrypted. There nothing is refused for lack of pairing,
/// so it is not known whether they need it.
struct EncryptedUse {
    /// Values and Client Characteristic Configurations, by their handles.
    private(set) var handles: Set<UInt16> = []

    /// - Parameters:
    ///   - configurations: the Client Characteristic Configurations; reading one needs nothing.
    init(_ sessions: [Session], configurations: Set<UInt16>) {
        var others: Set<UInt16> = []
        for session in sessions {
            // A link whose beginning is not known may be encrypted.
            var isEncrypted = !session.isBeginKnown
            for event in session.events {
                switch event.kind {
                case .encrypted: isEncrypted = true
                case .read(let handle, _) where configurations.contains(handle): break
                case .read(let handle, let outcome), .write(let handle, _, hasResponse: true, let outcome):
                    guard outcome != .unanswered else { break }
                    if isEncrypted { handles.insert(handle) } else { others.insert(handle) }
                default: break
                }
            }
        }
        handles.subtract(others)
    }
}
