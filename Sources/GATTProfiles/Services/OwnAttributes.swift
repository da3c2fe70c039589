package import AssignedNumbers

/// The names that this package gives to services and characteristics beyond those of the Bluetooth SIG.
package enum OwnAttributes {
    /// The name of one of this package's own services or characteristics; nil for others.
    ///
    /// - Parameter uuid: in the 36-character form, in any letter case.
    package static func name(ofUUID uuid: String) -> String? {
        let uuid = uuid.uppercased()
        return all.first { $0.uuid == uuid }?.name
    }

    /// All of them.
    package static let all: [(kind: AssignedKind, uuid: String, name: String)] =
        ChirpService.names + PairingService.names + LabService.names
}
