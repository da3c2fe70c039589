import CoreBluetooth
import GATTProfiles

extension ServiceProfile {
    /// A service with a text for paired centrals only: the first read makes a central pair.
    public static let pairing = ServiceProfile(
        name: "pairing", uuid: PairingService.uuid,
        characteristics: [
            CharacteristicProfile(
                name: "pairing-text", uuid: PairingService.text, properties: .read, encryption: .read,
                initialValue: Array("Paired with Dittojay: you read this over an encrypted link.".utf8))
        ])
}
