import CoreBluetooth
import GATTProfiles

extension ServiceProfile {
    /// A service for tests and measurements of the link.
    public static let lab = ServiceProfile(
        name: "lab", uuid: LabService.uuid,
        characteristics: [
            CharacteristicProfile(
                name: "store", uuid: LabService.store,
                properties: [.read, .write], permissions: [.readable, .writeable],
                behaviour: .stored(lengths: 0...LabService.maximumValueLength)),
            CharacteristicProfile(
                name: "sink", uuid: LabService.sink,
                properties: [.write, .writeWithoutResponse], permissions: .writeable, behaviour: .sink),
            CharacteristicProfile(
                name: "sink-count", uuid: LabService.sinkCount,
                properties: [.read, .write], permissions: [.readable, .writeable], behaviour: .sinkCount),
            CharacteristicProfile(
                name: "echo", uuid: LabService.echo,
                properties: [.write, .indicate], permissions: .writeable, behaviour: .echo),
        ])
}
