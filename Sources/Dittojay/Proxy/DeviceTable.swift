import BlueZ
import CoreBluetooth

/// What a device offers, as far as it can be offered again.
struct DeviceTable {
    struct Service {
        let service: CBService
        /// With the UUIDs as names.
        var profile: ServiceProfile
        /// In the order of the profile's.
        let characteristics: [CBCharacteristic]
    }

    private(set) var services: [Service] = []
    /// What cannot be offered, in sentences.
    private(set) var losses: [String] = []

    private static let possibleProperties: CBCharacteristicProperties = [
        .read, .write, .writeWithoutResponse, .notify, .indicate,
    ]

    /// - Parameter identities: the PnP IDs that were read.
    init(_ services: [CBService], identities: [ObjectIdentifier: Data]) {
        for service in services where !Self.isOwnedByBlueZ(service, identities) {
            let uuid = service.uuid.profileText
            var characteristics: [CBCharacteristic] = []
            var profiles: [CharacteristicProfile] = []
            for characteristic in service.characteristics ?? [] {
                let properties = characteristic.properties.intersection(Self.possibleProperties)
                guard !properties.isEmpty else {
                    losses.append(
                        "\(uuid)/\(characteristic.uuid.profileText), which has no property that can be published")
                    continue
                }
                var profile = CharacteristicProfile(
                    name: characteristic.uuid.profileText, uuid: characteristic.uuid.profileText, properties: properties
                )
                profile.copiedDescriptors = (characteristic.descriptors ?? []).compactMap { descriptor in
                    descriptor.bytes.map { CopiedDescriptor(uuid: descriptor.uuid.profileText, value: [UInt8]($0)) }
                }
                characteristics.append(characteristic)
                profiles.append(profile)
            }
            let profile = ServiceProfile(name: uuid, uuid: uuid, characteristics: profiles)
            self.services.append(Service(service: service, profile: profile, characteristics: characteristics))
        }
    }

    /// The characteristic by which bluetoothd's own Device Information is known; nil if a service cannot be that.
    static func identity(of service: CBService) -> CBCharacteristic? {
        let characteristics = service.characteristics ?? []
        let uuids = characteristics.map(\.uuid.uuidString)
        return OwnServices.isIdentity(uuid: service.uuid.uuidString, characteristics: uuids) ? characteristics[0] : nil
    }

    private static func isOwnedByBlueZ(_ service: CBService, _ identities: [ObjectIdentifier: Data]) -> Bool {
        OwnServices.contain(
            uuid: service.uuid.uuidString, characteristics: (service.characteristics ?? []).map(\.uuid.uuidString),
            identity: identity(of: service).flatMap { identities[ObjectIdentifier($0)] }.map { [UInt8]($0) })
    }
}
