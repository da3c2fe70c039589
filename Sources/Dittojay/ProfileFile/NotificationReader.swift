import GATTProfiles

/// Reads what a characteristic sends by itself.
enum NotificationReader {
    private static let sources = ["value", "values", "counter", "random-walk", "heart-rate"]

    static func plan(_ node: FileNode) throws(ProfileFileError) -> NotificationPlan {
        let members = try node.mapping(of: "notifications", keys: ["every", "once"] + sources)
        let chosen = try members.exactlyOne(of: sources)
        let isOnce = try members["once"]?.flag() ?? false
        if isOnce, chosen.key != "values" { throw node.fail("only values can be sent once") }
        let interval: Double
        if let node = members["every"] {
            interval = try node.seconds(within: NotificationPlan.possibleIntervals)
        } else if chosen.key == "heart-rate" {
            interval = 1
        } else {
            interval = try members.required("every").seconds(within: NotificationPlan.possibleIntervals)
        }
        return NotificationPlan(
            interval: interval, source: try source(chosen, repeats: !isOnce, interval: interval))
    }

    private static func source(
        _ chosen: FileMapping.Member, repeats: Bool, interval: Double
    ) throws(ProfileFileError) -> NotificationPlan.Source {
        switch chosen.key {
        case "value": return .constant(try chosen.value.value())
        case "values":
            var values: [[UInt8]] = []
            for element in try chosen.value.list(of: "values") { values.append(try element.value()) }
            guard !values.isEmpty else { throw chosen.value.fail("there has to be a value") }
            return .list(values, repeats: repeats)
        case "counter": return .counter(try counter(chosen.value))
        case "random-walk": return .randomWalk(try randomWalk(chosen.value))
        default: return .heartRate(try heartRate(chosen.value, interval: interval))
        }
    }

    private static func counter(_ node: FileNode) throws(ProfileFileError) -> NotificationPlan.Counter {
        let members = try node.mapping(of: "a counter", keys: ["type", "from", "step", "prefix"])
        let number = try numberType(members.required("type"))
        return NotificationPlan.Counter(
            number: number, first: try members["from"]?.integer(in: number.range) ?? 0,
            step: try members["step"]?.integer(in: Int64(Int32.min)...Int64(Int32.max)) ?? 1,
            prefix: try members["prefix"]?.value(maximumLength: LabService.maximumValueLength - 8) ?? [])
    }

    private static func randomWalk(_ node: FileNode) throws(ProfileFileError) -> NotificationPlan.RandomWalk {
        let members = try node.mapping(of: "a random walk", keys: ["type", "from", "to", "step", "prefix", "seed"])
        let number = try numberType(members.required("type"))
        let low = try members.required("from").integer(in: number.range)
        let highNode = try members.required("to")
        let high = try highNode.integer(in: number.range)
        guard low <= high else { throw highNode.fail("\"to\" is below \"from\"") }
        return NotificationPlan.RandomWalk(
            number: number, range: low...high, step: try members["step"]?.integer(in: 1...Int64(Int32.max)) ?? 1,
            prefix: try members["prefix"]?.value(maximumLength: LabService.maximumValueLength - 8) ?? [],
            seed: try members["seed"].map { node throws(ProfileFileError) in
                UInt64(try node.integer(in: Int64(0)...Int64.max))
            })
    }

    private static func heartRate(_ node: FileNode, interval: Double) throws(ProfileFileError) -> HeartRateSettings {
        let members = try node.mapping(of: "a heart rate", keys: ["bpm", "rate-format", "contact"])
        var settings = HeartRateSettings(interval: interval)
        if let node = members["bpm"] { settings.rateRange = try node.range(within: HeartRateSettings.possibleRates) }
        if let node = members["rate-format"] {
            let forms = HeartRateSettings.RateForms.allCases.map { ($0.rawValue, $0) }
            settings.rateForms = try node.choice(of: "form of rates", among: forms)
        }
        if let node = members["contact"] {
            let kinds = HeartRateSettings.ContactDetection.allCases.map { ($0.rawValue, $0) }
            settings.contactDetection = try node.choice(of: "detection of contact", among: kinds)
        }
        return settings
    }

    private static func numberType(_ node: FileNode) throws(ProfileFileError) -> NumberType {
        let names = NumberType.names.flatMap { $0.hasSuffix("8") ? [$0] : [$0, $0 + "be"] }
        var choices: [(String, NumberType)] = []
        for name in names { if let type = NumberType(name: name) { choices.append((name, type)) } }
        return try node.choice(of: "type of number", among: choices)
    }
}
