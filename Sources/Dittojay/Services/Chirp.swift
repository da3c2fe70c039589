import GATTProfiles

extension ServiceProfile {
    /// A service that sends a value at the moment when the user wants it, and that comes and goes at his wish.
    public static let chirp = ServiceProfile(
        name: "chirp", uuid: ChirpService.uuid, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(name: "chirp", uuid: ChirpService.chirp, properties: .notify, chirps: true)
        ])
}
