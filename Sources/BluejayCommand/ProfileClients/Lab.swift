package import Bluejay
import GATTProfiles

extension ServiceIdentifier {
    package static let lab = ServiceIdentifier(uuid: LabService.uuid)
}

extension CharacteristicIdentifier {
    package static let store = CharacteristicIdentifier(uuid: LabService.store, service: .lab)
    package static let sink = CharacteristicIdentifier(uuid: LabService.sink, service: .lab)
    package static let sinkCount = CharacteristicIdentifier(uuid: LabService.sinkCount, service: .lab)
}
