import CoreBluetooth
import GATTProfiles

extension ServiceProfile {
    /// A service for tests and measurements of the link.
    public static let lab = ServiceProfile(
        name: "lab", uuid: LabService.uuid,
        characteristics: [
            CharacteristicProfile(
                name: "store", uuid: LabService.store, properties: [.read, .write],
                writes: WriteRules(lengths: 0...LabService.maximumValueLength, effects: [.store])),
            CharacteristicProfile(
                name: "sink", uuid: LabService.sink, properties: [.write, .writeWithoutResponse],
                writes: WriteRules(effects: [.count]), isQuiet: true),
            CharacteristicProfile(
                name: "sink-count", uuid: LabService.sinkCount, properties: [.read, .write],
                source: .writeCount(of: CharacteristicPath("lab", "sink")),
                writes: WriteRules(reactions: [
                    WriteReaction(.any, .play([.resetCount(CharacteristicPath("lab", "sink"))]))
                ])),
            CharacteristicProfile(
                name: "echo", uuid: LabService.echo, properties: [.write, .indicate],
                writes: WriteRules(effects: [.echo(to: CharacteristicPath("lab", "echo"))])),
        ])
}
