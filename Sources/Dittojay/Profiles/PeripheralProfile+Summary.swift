import AssignedNumbers
import CoreBluetooth
import GATTProfiles
package import PlainText

extension PeripheralProfile {
    /// What would be served, in several lines for people.
    package var summary: [String] {
        var lines = ["profile \(name), advertised as \"\(localName)\""]
        if let appearance = advertisement.appearance {
            let name = AssignedKind.appearance.name(of: appearance)
            lines[0] += ", looking like 0x\(AssignedName.digits(of: appearance))" + (name.map { " (\($0))" } ?? "")
        }
        for manufacturer in advertisement.manufacturers {
            let company = String(manufacturer.company, radix: 16, uppercase: true)
            let name = AssignedKind.company.name(of: manufacturer.company).map { " (\($0))" } ?? ""
            lines[0] += ", with data of manufacturer 0x\(company)\(name): \(ValueText.hex(manufacturer.data))"
        }
        for (uuid, data) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
            lines[0] += ", with data of service \(uuid): \(ValueText.hex(data))"
        }
        if advertisement.hasTxPower { lines[0] += ", with the controller's transmit power" }
        if let eddystone = advertisement.eddystone {
            lines[0] += ", with Eddystone frames in turn every \(Duration.text(seconds: eddystone.interval))"
        }
        if let interval = advertisement.interval {
            lines[0] += ", every \(Duration.text(seconds: interval))"
        }
        if let pairing {
            lines.append(
                "pairing with io \(pairing.capability.rawValue)" + (pairing.passkey.map { ", enters \($0)" } ?? ""))
        }
        for service in services {
            var line = "service \(service.name) \(service.uuid)"
            if !service.isPrimary { line += ", secondary" }
            if service.isAdvertised { line += ", advertised" }
            if !service.isPublished { line += ", not there at first" }
            lines.append(line)
            lines += service.characteristics.flatMap { $0.summary.map { "  " + $0 } }
        }
        lines += channels.map(\.description)
        if !scenario.isEmpty { lines.append("scenario of \(counted(Self.count(of: scenario), "step"))") }
        if let recording { lines.append("recording of \(recording)") }
        return lines
    }

    /// Those that are repeated count once.
    private static func count(of steps: [ScenarioStep]) -> Int {
        steps.reduce(0) { count, step in
            if case .repeat(_, let repeated) = step { count + Self.count(of: repeated) } else { count + 1 }
        }
    }

    /// The same as an object for programs.
    package var json: JSONObject {
        var object = JSONObject()
        object.add("profile", name)
        object.add("name", localName)
        object.add("appearance", advertisement.appearance)
        object.add("pairing", pairing?.capability.rawValue)
        object.add(
            "services",
            services.map { service in
                var object = JSONObject()
                object.add("name", service.name)
                object.add("uuid", service.uuid)
                object.add("isPrimary", service.isPrimary)
                object.add("isAdvertised", service.isAdvertised)
                object.add("isPublished", service.isPublished)
                object.add("characteristics", service.characteristics.map(\.json))
                return object
            })
        if !channels.isEmpty { object.add("channels", channels.map(\.description)) }
        object.add("scenarioSteps", scenario.count)
        object.add("recording", recording?.description)
        return object
    }
}

extension CharacteristicProfile {
    fileprivate var summary: [String] {
        var first = "\(name) \(uuid): " + propertyNames.joined(separator: ", ")
        if chirps { first += "; chirps" }
        if let text = userDescription { first += "; \"\(text)\"" }
        var lines = [first]
        for (kind, uses) in [
            ("encrypted link", encryption), ("authenticated link", authentication),
            ("link by LE Secure Connections", secureConnections),
        ] where !uses.isEmpty {
            lines.append("  \(kind) for \(names(of: uses).joined(separator: ", "))")
        }
        if !initialValue.isEmpty { lines.append("  value \(ValueText.hex(initialValue.prefix(32)))") }
        if case .writeCount(let path) = source { lines.append("  reads give how much was written to \(path)") }
        if case .psm(let channel) = source { lines.append("  reads give the PSM of the L2CAP channel \(channel)") }
        if let plan = notifications { lines.append("  sends \(plan)") }
        if let sizes = pieceSizes { lines.append("  cuts what it sends into pieces of \(sizes) bytes") }
        if let rules = writes {
            var words = rules.effects.map(\.description)
            if rules.lengths != 0...512 { words.insert("takes \(rules.lengths) bytes", at: 0) }
            words += rules.reactions.map(\.description)
            lines.append("  a write: " + words.joined(separator: "; "))
        }
        lines += faults.map { "  fault \($0)" }
        return lines.map { $0.replacingOccurrences(of: "...", with: "-") }
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("name", name)
        object.add("uuid", uuid)
        object.add("properties", propertyNames)
        if !encryption.isEmpty { object.add("encrypted", names(of: encryption)) }
        if !authentication.isEmpty { object.add("authenticated", names(of: authentication)) }
        if !secureConnections.isEmpty { object.add("secureConnections", names(of: secureConnections)) }
        object.add("value", ValueText.hex(initialValue))
        object.add("description", userDescription)
        if !copiedDescriptors.isEmpty { object.add("descriptors", copiedDescriptors.map(\.uuid)) }
        object.add("sends", notifications?.description)
        object.add("faults", faults.map(\.description))
        return object
    }

    private var propertyNames: [String] {
        CharacteristicReader.properties.filter { properties.contains($0.1) }.map(\.0)
    }

    private func names(of uses: Encryption) -> [String] {
        let names: [(String, Encryption)] = [("reads", .read), ("writes", .write), ("subscriptions", .notify)]
        return names.filter { uses.contains($0.1) }.map(\.0)
    }
}

extension NotificationPlan: CustomStringConvertible {
    /// For people.
    public var description: String {
        let every = "every \(Duration.text(seconds: interval))"
        switch source {
        case .constant(let value): return "\(ValueText.hex(value.prefix(32))) \(every)"
        case .counter(let counter):
            return "a \(counter.number.rawValue) counter from \(counter.first) in steps of \(counter.step) \(every)"
        case .list(let values, let repeats):
            return "\(counted(values.count, "value")) in turn \(every)" + (repeats ? "" : ", once")
        case .randomWalk(let walk):
            let range = "\(walk.range.lowerBound) to \(walk.range.upperBound)"
            return "a \(walk.number.rawValue) random walk from \(range) in steps up to \(walk.step) \(every)"
        case .heartRate(let settings):
            let range = settings.rateRange
            return "heart rates from \(range.lowerBound) to \(range.upperBound) bpm \(every)"
        case .simulated: return "simulated measurements \(every)"
        }
    }
}

extension Recording: CustomStringConvertible {
    /// For people.
    public var description: String {
        let senders = Set(values.map(\.characteristic)).count
        return "\(counted(values.count, "value")) of \(counted(senders, "characteristic")) in "
            + Duration.text(seconds: duration) + (repeats ? ", again and again" : "")
    }
}

extension WriteEffect: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .store: "is stored"
        case .echo(let path): "comes back on \(path)"
        case .count: "is counted"
        case .simulated: "goes to the simulation"
        }
    }
}

extension WriteReaction: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch outcome {
        case .refuse(let code): return "\(match) is refused with \(ATTErrorNames.text(code))"
        case .play(let steps): return "\(match) starts \(counted(steps.count, "step"))"
        }
    }
}

extension WriteReaction.Match: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .value(let bytes): bytes.isEmpty ? "an empty value" : Self.readable(bytes)
        case .prefix(let bytes): "what begins with \(Self.readable(bytes))"
        case .pattern(let pattern): "what looks like \(pattern)"
        case .any: "anything else"
        }
    }

    /// Hexadecimal digits, and the text if it is one. A single byte is usually a number.
    private static func readable(_ bytes: [UInt8]) -> String {
        let hex = ValueText.hex(bytes)
        guard bytes.count > 1, let text = ValueText.printable(bytes) else { return hex }
        return "\(hex) \"\(text)\""
    }
}
