import CoreBluetooth
import GATTProfiles

extension ServiceProfile {
    /// A service that sends values, is added and is removed by command.
    public static let chirp = ServiceProfile(
        name: "chirp", uuid: ChirpService.uuid, isAdvertised: true,
        characteristics: [
            CharacteristicProfile(name: "chirp", uuid: ChirpService.chirp, properties: .notify, chirps: true)
        ])
}
