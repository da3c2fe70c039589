package import Bluejay
import GATTProfiles

extension ServiceIdentifier {
    package static let chirp = ServiceIdentifier(uuid: ChirpService.uuid)
}

extension CharacteristicIdentifier {
    package static let chirp = CharacteristicIdentifier(uuid: ChirpService.chirp, service: .chirp)
}
