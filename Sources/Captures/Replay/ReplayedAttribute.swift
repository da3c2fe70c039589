/// A characteristic or a descriptor of a capture, by names that any other device with the same attributes has as well.
package struct ReplayedAttribute: Hashable, Sendable {
    /// With the number of each part, as `bluejay` takes it: `180F/2A19#1`, the first 2A19 in any service 180F.
    package let selector: String
    /// With numbers only where there are several of the kind: `180F/2A19`.
    package let title: String

    package func isIn(service uuid: String) -> Bool { selector.hasPrefix(uuid + "/") }

    /// What a handle of the capture is.
    enum Role {
        case value(ReplayedAttribute)
        /// The Client Characteristic Configuration of a characteristic.
        case configuration(of: ReplayedAttribute)
        case descriptor(ReplayedAttribute)
        /// In a service that bluetoothd keeps to itself, on either side.
        case hidden(service: String)
    }

    /// The attributes of a table by their handles, except those of which only the handle is known.
    ///
    /// - Parameter isOwnService: whether bluetoothd has such a service by itself, as in ``ImportOptions``.
    static func roles(
        _ table: ImportedTable, values: [UInt16: [UInt8]],
        isOwnService: (_ uuid: String, _ characteristics: [String], _ identity: [UInt8]?) -> Bool
    ) -> [UInt16: Role] {
        var roles: [UInt16: Role] = [:]
        var visible: [(path: String, characteristic: ImportedTable.Characteristic)] = []
        for service in table.services {
            guard let uuid = service.uuid else { continue }
            let identity = service.characteristics.first.flatMap { values[$0.handle] }
            let isHidden = isOwnService(uuid, service.characteristics.map { $0.uuid ?? "" }, identity)
            for characteristic in service.characteristics {
                if isHidden {
                    for handle in characteristic.handles { roles[handle] = .hidden(service: uuid) }
                } else if let own = characteristic.uuid {
                    visible.append(("\(uuid)/\(own)", characteristic))
                }
            }
        }
        for ((_, characteristic), name) in numbered(visible, \.path) {
            let descriptors = characteristic.descriptors.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            for (descriptor, part) in numbered(descriptors, \.value) {
                roles[descriptor.key] = .descriptor(
                    ReplayedAttribute(
                        selector: "\(name.selector)/\(part.selector)", title: "\(name.title)/\(part.title)"))
            }
            roles[characteristic.handle] = .value(name)
            if let handle = characteristic.configuration { roles[handle] = .configuration(of: name) }
        }
        return roles
    }

    /// Each with its text and its number among those of the same text, from 1.
    private static func numbered<Attribute>(
        _ attributes: [Attribute], _ text: (Attribute) -> String
    ) -> [(Attribute, ReplayedAttribute)] {
        let counts = Dictionary(attributes.map { (text($0), 1) }, uniquingKeysWith: +)
        var numbers: [String: Int] = [:]
        return attributes.map { attribute in
            let title = text(attribute)
            let number = numbers[title, default: 0] + 1
            numbers[title] = number
            let selector = "\(title)#\(number)"
            return (attribute, ReplayedAttribute(selector: selector, title: counts[title] == 1 ? title : selector))
        }
    }
}

extension ImportedTable.Characteristic {
    fileprivate var handles: [UInt16] {
        [handle] + descriptors.keys + (configuration.map { [$0] } ?? [])
    }
}
