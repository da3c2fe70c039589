import Foundation

/// Which device a user means: an address, perhaps with `/random` or `/public` behind it, an identifier or a name.
package enum DeviceSelector: Hashable, Swift.Sendable {
    /// The identifiers that the device can have; several for an address that may be public or random.
    case identifiers([UUID], text: String)
    case name(String)

    package init(_ text: String) {
        if let identifier = UUID(uuidString: text) {
            self = .identifiers([identifier], text: text)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds: [Bool]
        switch parts.count == 2 ? parts[1] : "" {
        case "random": kinds = [true]
        case "public": kinds = [false]
        // Neither kind has bits that the other cannot have.
        case "": kinds = [false, true]
        default: kinds = []
        }
        let identifiers = kinds.compactMap {
            CBPeer.identifier(forBluetoothAddress: String(parts[0]), isRandom: $0)
        }
        self = identifiers.isEmpty ? .name(text) : .identifiers(identifiers, text: text)
    }

    /// The device as the user has written it.
    package var text: String {
        switch self {
        case .identifiers(_, let text): text
        case .name(let name): name
        }
    }

    /// Whether a device with this identifier and these names is meant.
    package func matches(_ identifier: UUID, names: [String?]) -> Bool {
        switch self {
        case .identifiers(let identifiers, _): identifiers.contains(identifier)
        case .name(let name): names.contains(name)
        }
    }
}
