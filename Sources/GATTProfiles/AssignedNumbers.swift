/// The names that this package gives to services and characteristics beyond those of the Bluetooth SIG.
public enum AssignedNumbers {
    /// The name of one of this package's own services or characteristics; nil for others.
    ///
    /// - Parameter uuid: in the 36-character form, in any letter case.
    public static func ownName(ofUUID uuid: String) -> String? {
        own[uuid.uppercased()]
    }

    /// The UUIDs of this package's own services and characteristics, with their names.
    public static var ownNames: [(name: String, uuid: String)] {
        own.map { ($0.value, $0.key) }.sorted { $0.name < $1.name }
    }

    /// A name as it is typed: `heart-rate-measurement` for `Heart Rate Measurement`.
    public static func typedName(_ name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private static let own: [String: String] = [
        ChirpService.uuid: "Chirp Service",
        ChirpService.chirp: "Chirp",
        PairingService.uuid: "Pairing Service",
        PairingService.text: "Pairing Text",
        LabService.uuid: "Lab Service",
        LabService.store: "Store",
        LabService.sink: "Sink",
        LabService.sinkCount: "Sink Count",
        LabService.echo: "Echo",
    ]
}
