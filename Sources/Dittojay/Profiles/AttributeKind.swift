import AssignedNumbers
import CoreBluetooth
import GATTProfiles

/// What profiles have names and UUIDs for.
enum AttributeKind {
    case service, characteristic, descriptor

    var assigned: AssignedKind {
        switch self {
        case .service: .service
        case .characteristic: .characteristic
        case .descriptor: .descriptor
        }
    }

    /// An assigned name.
    var example: String {
        switch self {
        case .service: "heart-rate"
        case .characteristic: "battery-level"
        case .descriptor: "valid-range"
        }
    }

    /// A name for an attribute that is given none: the assigned one as it is typed, or the UUID.
    ///
    /// - Parameter uuid: in 4 or 36 characters, upper case.
    func defaultName(_ uuid: String) -> String {
        let name = OwnAttributes.name(ofUUID: uuid) ?? UInt16(uuid, radix: 16).flatMap(assigned.name)
        return name.map(TypedName.text) ?? uuid.lowercased()
    }
}

extension CBUUID {
    /// In 4 or 36 characters, upper case, as profiles have it.
    var profileText: String {
        let (text, base) = (uuidString.uppercased(), "-0000-1000-8000-00805F9B34FB")
        switch text.utf8.count {
        case 4: return text
        case 8: return text.hasPrefix("0000") ? String(text.suffix(4)) : text + base
        default: return text.hasPrefix("0000") && text.hasSuffix(base) ? String(text.dropFirst(4).prefix(4)) : text
        }
    }
}
