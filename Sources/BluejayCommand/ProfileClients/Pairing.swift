package import Bluejay
import GATTProfiles

extension CharacteristicIdentifier {
    /// The text that makes a central pair when it is read.
    package static let pairingText = CharacteristicIdentifier(
        uuid: PairingService.text, service: ServiceIdentifier(uuid: PairingService.uuid))
}
