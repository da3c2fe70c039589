import CoreBluetooth

/// The names that a proxy's services have, and what they stand for on the device. A service keeps its name for as long
/// as the device has it.
struct ProxiedNames {
    private struct Service {
        /// The device's object, which is another one over each link.
        var service: CBService
        let profile: ServiceProfile
        var characteristics: [CBCharacteristic]
    }

    private var services: [Service] = []
    private var characteristics: [CharacteristicPath: CBCharacteristic] = [:]
    private var paths: [ObjectIdentifier: CharacteristicPath] = [:]

    func characteristic(at path: CharacteristicPath) -> CBCharacteristic? { characteristics[path] }
    func path(of characteristic: CBCharacteristic) -> CharacteristicPath? { paths[ObjectIdentifier(characteristic)] }

    /// Takes over what the device offers now.
    ///
    /// - Parameter isNewLink: whether the device is connected again: then a service is the same if it looks the same.
    ///   Over one link it is the same for as long as it is not removed.
    /// - Returns: the names of the services that are no longer there, and the services that are new.
    mutating func update(_ table: DeviceTable, isNewLink: Bool) -> (removed: [String], added: [ServiceProfile]) {
        var former = services
        var kept: [Service?] = table.services.map { found in
            let known = former.firstIndex { known in
                isNewLink
                    ? known.profile.looksLike(found.profile)
                    : known.service === found.service && known.profile.looksLike(found.profile)
            }
            guard let known else { return nil }
            var service = former.remove(at: known)
            service.service = found.service
            service.characteristics = found.characteristics
            return service
        }
        var taken = Set(kept.compactMap { $0?.profile.name })
        let isRepeated = Self.repeated(table.services.map(\.profile.uuid))
        var added: [ServiceProfile] = []
        for (index, found) in table.services.enumerated() where kept[index] == nil {
            var profile = found.profile
            profile.name = Self.name(for: profile.uuid, .service, isRepeated: isRepeated(profile.uuid), &taken)
            Self.nameCharacteristics(of: &profile)
            kept[index] = Service(service: found.service, profile: profile, characteristics: found.characteristics)
            added.append(profile)
        }
        services = kept.compactMap(\.self)
        index()
        return (former.map(\.profile.name), added)
    }

    private mutating func index() {
        characteristics = [:]
        paths = [:]
        for service in services {
            for (profile, characteristic) in zip(service.profile.characteristics, service.characteristics) {
                let path = CharacteristicPath(service.profile.name, profile.name)
                characteristics[path] = characteristic
                paths[ObjectIdentifier(characteristic)] = path
            }
        }
    }

    private static func nameCharacteristics(of service: inout ServiceProfile) {
        var taken: Set<String> = []
        let isRepeated = repeated(service.characteristics.map(\.uuid))
        for index in service.characteristics.indices {
            let uuid = service.characteristics[index].uuid
            service.characteristics[index].name = name(
                for: uuid, .characteristic, isRepeated: isRepeated(uuid), &taken)
        }
    }

    private static func repeated(_ uuids: [String]) -> (String) -> Bool {
        let counts = uuids.reduce(into: [:]) { counts, uuid in counts[uuid, default: 0] += 1 }
        return { counts[$0, default: 0] > 1 }
    }

    /// The name that a profile file gives an attribute, or one with a number if others have the same UUID, as in a
    /// clone.
    private static func name(
        for uuid: String, _ kind: AttributeKind, isRepeated: Bool, _ taken: inout Set<String>
    ) -> String {
        let plain = kind.defaultName(uuid)
        if !isRepeated, taken.insert(plain).inserted { return plain }
        for number in 1... {
            let name = "\(uuid.lowercased())-\(number)"
            if taken.insert(name).inserted { return name }
        }
        return plain
    }
}

extension ServiceProfile {
    /// Whether another one offers the same, whatever its parts are called.
    fileprivate func looksLike(_ other: ServiceProfile) -> Bool {
        uuid == other.uuid
            && characteristics.elementsEqual(other.characteristics) { own, other in
                own.uuid == other.uuid && own.properties == other.properties
                    && own.copiedDescriptors == other.copiedDescriptors
            }
    }
}
