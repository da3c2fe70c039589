import CoreBluetooth

/// What a central needs for the characteristics of a standard service.
public enum StandardSecurity: String, CaseIterable, Hashable, Swift.Sendable {
    /// Nothing.
    case open
    /// A paired link for everything.
    case encrypted
    /// A link that was paired with a passkey or a comparison, for everything.
    case authenticated
    /// What the service's specification says.
    case specification

    /// A characteristic of a service with this security.
    func applied(to characteristic: CharacteristicProfile, of service: StandardService) -> CharacteristicProfile {
        var profile = characteristic
        switch self {
        case .open: break
        case .encrypted: profile.encryption = profile.possibleUses
        case .authenticated: profile.authentication = profile.possibleUses
        case .specification:
            let specified = service.specifiedSecurity(of: profile)
            profile.encryption = specified.encryption.intersection(profile.possibleUses)
            profile.authentication = specified.authentication.intersection(profile.possibleUses)
        }
        return profile
    }
}

extension StandardService {
    fileprivate typealias Uses = CharacteristicProfile.Encryption

    /// Specifications: Glucose Service (its Record Access Control Point is writable with authentication); User Data
    /// Service and HID Service (an encrypted link for everything). Of the others none is known here.
    fileprivate func specifiedSecurity(of profile: CharacteristicProfile) -> (encryption: Uses, authentication: Uses) {
        switch self {
        case .glucose where profile.uuid == Glucose.recordAccess: ([], .write)
        case .userData, .humanInterfaceDevice: ([.read, .write, .notify], [])
        default: ([], [])
        }
    }
}

extension CharacteristicProfile {
    /// Those that its properties have.
    var possibleUses: Encryption {
        var uses: Encryption = []
        if properties.contains(.read) { uses.insert(.read) }
        if isWriteable { uses.insert(.write) }
        if notifies { uses.insert(.notify) }
        return uses
    }
}
