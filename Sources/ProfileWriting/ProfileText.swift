import AssignedNumbers
import Foundation
import GATTProfiles
import PlainText

/// A device as a profile file, which dittojay can serve. The same device has the same text.
package struct ProfileText {
    package private(set) var lines: [String] = []
    private let device: ClonedDevice

    package init(_ device: ClonedDevice) {
        self.device = device
        addComments(device.comments, "")
        add(device.advertisement)
        lines.append(device.services.isEmpty ? "services: []" : "services:")
        for (service, name) in Self.named(device.services, \.uuid, .service) { add(service, name) }
    }

    private mutating func add(_ advertisement: ClonedDevice.Advertisement) {
        if let name = advertisement.localName { lines.append("local-name: \(Self.quoted(name))") }
        if let appearance = advertisement.appearance {
            lines.append("appearance: 0x\(AssignedName.digits(of: appearance))")
        }
        let manufacturers = advertisement.manufacturers.filter { $0.count >= 2 }.map(Self.manufacturer)
        guard !manufacturers.isEmpty || !advertisement.serviceData.isEmpty || advertisement.txPower != nil else {
            return
        }
        lines.append("advertise:")
        if manufacturers.count == 1 {
            lines.append("  manufacturer: \(manufacturers[0])")
        } else if !manufacturers.isEmpty {
            lines += ["  manufacturer:"] + manufacturers.map { "    - \($0)" }
        }
        if advertisement.txPower != nil { lines.append("  tx-power: true") }
        if !advertisement.serviceData.isEmpty {
            lines.append("  service-data:")
            for (uuid, data) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(Self.quoted(uuid)): \(Self.value(data))")
            }
        }
    }

    private static func manufacturer(_ data: Data) -> String {
        let bytes = [UInt8](data)
        let company = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        let value = bytes.count > 2 ? ", data: \(value(bytes.dropFirst(2)))" : ""
        return "{company: 0x\(AssignedName.digits(of: company))\(value)}"
    }

    private mutating func add(_ service: ClonedDevice.Service, _ name: String?) {
        addComments(service.comments, "  ")
        if let standard = service.standard {
            lines.append("  - standard: \(standard)")
        } else {
            begin("  ", name, Self.attribute(service.uuid, .service))
        }
        if service.isAdvertised { lines.append("    advertised: true") }
        if !service.isPrimary { lines.append("    primary: false") }
        if service.standard != nil { return }
        guard !service.characteristics.isEmpty else { return lines.append("    characteristics: []") }
        lines.append("    characteristics:")
        for (characteristic, name) in Self.named(service.characteristics, \.uuid, .characteristic) {
            add(characteristic, name)
        }
    }

    private mutating func add(_ characteristic: ClonedDevice.Characteristic, _ name: String?) {
        addComments(characteristic.comments, "      ")
        begin("      ", name, Self.attribute(characteristic.uuid, .characteristic))
        func add(_ key: String, _ value: String) { lines.append("        \(key): \(value)") }
        add("properties", "[\(characteristic.properties.joined(separator: ", "))]")
        if !characteristic.encrypted.isEmpty {
            add("encrypted", "[\(characteristic.encrypted.joined(separator: ", "))]")
        }
        if let value = characteristic.value, !value.isEmpty { add("value", Self.value(value)) }
        if let text = characteristic.description { add("description", Self.quoted(text)) }
        if let format = characteristic.format.flatMap(Self.format) { add("format", format) }
        if !characteristic.descriptors.isEmpty { lines.append("        descriptors:") }
        for descriptor in characteristic.descriptors {
            let uuid = Self.attribute(descriptor.uuid, .descriptor)
            let value = descriptor.value.map { $0.isEmpty ? "}" : ", value: \(Self.value($0))}" }
            lines.append("          - {uuid: \(uuid)" + (value ?? "}  # Its value was not read."))
        }
        var faults = characteristic.faults
        if let error = characteristic.readError {
            faults.insert("{on: read, error: 0x\(AssignedName.digits(of: UInt16(error)).suffix(2))}", at: 0)
        } else if let fault = characteristic.readFault {
            faults.insert("{on: read, \(fault.rawValue): true}", at: 0)
        }
        if !faults.isEmpty { add("faults", "[\(faults.joined(separator: ", "))]") }
        if let notify = characteristic.notify { add("notify", notify) }
        if let writes = characteristic.writes { self.add(writes) }
    }

    private mutating func add(_ writes: ClonedDevice.Writes) {
        switch writes {
        case .echo(let place): lines.append("        write: {echo: \(reference(to: place))}")
        case .reactions(let reactions, let stores):
            lines.append("        write:")
            if stores { lines.append("          store: true") }
            lines.append("          when:")
            for reaction in reactions { add(reaction) }
        }
    }

    private mutating func add(_ reaction: ClonedDevice.Reaction) {
        let match =
            switch reaction.match {
            case .value(let bytes): "value: \(Self.value(bytes))"
            case .pattern(let pattern): "pattern: \(Self.quoted(pattern))"
            }
        lines.append("            - \(match)" + (reaction.comment.map { "  # \($0)" } ?? ""))
        switch reaction.outcome {
        case .refuse(let error):
            lines.append("              refuse: 0x\(AssignedName.digits(of: UInt16(error)).suffix(2))")
        case .play(let steps):
            lines.append("              do:")
            for step in steps {
                switch step {
                case .wait(let seconds): lines.append("                - wait: \(Duration.text(seconds: seconds))")
                case .send(let value, let place):
                    lines.append("                - send: {on: \(reference(to: place)), value: \(Self.value(value))}")
                }
            }
        }
    }

    private mutating func addComments(_ comments: [String], _ indentation: String) {
        for comment in comments {
            // Without an end, a line of it would be a part of the file.
            let text = TerminalText.escaped(comment)
            lines.append(text.isEmpty ? "\(indentation)#" : "\(indentation)# \(text)")
        }
    }

    /// How another part of the file names a characteristic: by its own name where that is the only one, with its
    /// service in front otherwise.
    package func reference(to place: ClonedDevice.Place) -> String {
        let (service, serviceName) = Self.named(device.services, \.uuid, .service)[place.service]
        let named = Self.named(service.characteristics, \.uuid, .characteristic)
        let (characteristic, name) = named[place.characteristic]
        let own = name ?? Self.name(characteristic.uuid, .characteristic)
        let alike = device.services.reduce(0) { $0 + $1.characteristics.count { $0.uuid == characteristic.uuid } }
        return alike == 1 ? own : "\(serviceName ?? Self.name(service.uuid, .service))/\(own)"
    }

    private mutating func begin(_ indentation: String, _ name: String?, _ uuid: String) {
        guard let name else { return lines.append("\(indentation)- uuid: \(uuid)") }
        lines.append("\(indentation)- name: \(name)")
        lines.append("\(indentation)  uuid: \(uuid)")
    }

    /// Attributes with the names that they need where several have the same UUID.
    private static func named<Attribute>(
        _ attributes: [Attribute], _ uuid: KeyPath<Attribute, String>, _ kind: AssignedKind
    ) -> [(Attribute, String?)] {
        var counts: [String: Int] = [:]
        return attributes.map { attribute in
            let own = attribute[keyPath: uuid]
            let number = counts[own, default: 0] + 1
            counts[own] = number
            guard attributes.count(where: { $0[keyPath: uuid] == own }) > 1 else { return (attribute, nil) }
            return (attribute, "\(own.lowercased())-\(number)")
        }
    }

    private static func attribute(_ uuid: String, _ kind: AssignedKind) -> String {
        assignedName(uuid, kind) ?? quoted(uuid)
    }

    private static func name(_ uuid: String, _ kind: AssignedKind) -> String {
        assignedName(uuid, kind) ?? uuid
    }

    /// The assigned name as it is typed, if that leads back to the UUID.
    private static func assignedName(_ uuid: String, _ kind: AssignedKind) -> String? {
        guard uuid.utf8.count == 4, let number = UInt16(uuid, radix: 16), let name = kind.name(of: number),
            kind.number(named: TypedName.text(name)) == number
        else { return nil }
        return TypedName.text(name)
    }

    /// `{type: i16, exponent: -2, unit: celsius}`; nil for a format that has no name.
    private static func format(_ bytes: Data) -> String? {
        let bytes = [UInt8](bytes)
        guard bytes.count >= 4,
            let type = PresentationFormatNames.formats.first(where: { $0.format == bytes[0] })?.name
        else { return nil }
        let number = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        let unit =
            PresentationFormatNames.units.first { $0.unit == number }?.name
            ?? "0x\(AssignedName.digits(of: number))"
        return "{type: \(type), exponent: \(Int8(bitPattern: bytes[1])), unit: \(unit)}"
    }

    /// A text of two characters and more as such, anything else in hexadecimal digits.
    private static func value(_ bytes: some Collection<UInt8>) -> String {
        // Without digits the colon would make a key of it.
        if bytes.isEmpty { return "empty" }
        if bytes.count > 1, let text = ValueText.printable(Array(bytes)) { return quoted("text:" + text) }
        return "hex:" + ValueText.hex(bytes)
    }

    /// Between quotes YAML takes nothing for anything else. (JSON's strings are YAML's.)
    private static func quoted(_ text: String) -> String {
        var object = JSONObject()
        object.add("", text)
        // {"":"…"}
        return String(object.text.dropFirst(4).dropLast())
    }
}
