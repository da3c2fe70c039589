import GATTProfiles
import PlainText

/// Reads what a characteristic sends by itself.
enum NotificationReader {
    /// In bytes: the longest number fits behind it.
    private static let longestPrefix = LabService.maximumValueLength - 8

    static func plan(_ node: FileNode) throws(FileMistake) -> NotificationPlan {
        let members = try node.mapping(of: "notifications", keys: ProfileKeys.notifications)
        let chosen = try members.exactlyOne(of: ProfileKeys.sources)
        let isOnce = node.context.attempt(try members["once"]?.flag()) ?? false
        if isOnce, chosen.key != "values" {
            node.context.note((members["once"] ?? node).fail("only values can be sent once"))
        }
        var interval = 1.0
        if let node = members["every"] {
            interval = node.context.attempt(try node.seconds(within: NotificationPlan.possibleIntervals)) ?? 1
        } else if chosen.key != "heart-rate" {
            _ = node.context.attempt(try members.required("every"))
        }
        return NotificationPlan(
            interval: interval, source: try source(chosen, repeats: !isOnce, interval: interval))
    }

    private static func source(
        _ chosen: FileMapping.Member, repeats: Bool, interval: Double
    ) throws(FileMistake) -> NotificationPlan.Source {
        switch chosen.key {
        case "value": return .constant(try chosen.value.value())
        case "values":
            var values: [[UInt8]] = []
            for element in try chosen.value.list(of: "values") {
                values.append(element.context.attempt(try element.value()) ?? [])
            }
            guard !values.isEmpty else { throw chosen.value.fail("at least one value is required") }
            return .list(values, repeats: repeats)
        case "counter": return .counter(try counter(chosen.value))
        case "random-walk": return .randomWalk(try randomWalk(chosen.value))
        default: return .heartRate(try heartRate(chosen.value, interval: interval))
        }
    }

    private static func counter(_ node: FileNode) throws(FileMistake) -> NotificationPlan.Counter {
        let members = try node.mapping(of: "a counter", keys: ProfileKeys.counter)
        let context = node.context
        let step = context.attempt(try members["step"]?.integer(in: Int64(Int32.min)...Int64(Int32.max))) ?? 1
        let prefix = context.attempt(try members["prefix"]?.value(maximumLength: longestPrefix)) ?? []
        let number = try integerFormat(members.required("type"))
        return NotificationPlan.Counter(
            number: number, first: try members["from"]?.integer(in: number.range) ?? 0, step: step, prefix: prefix)
    }

    private static func randomWalk(_ node: FileNode) throws(FileMistake) -> NotificationPlan.RandomWalk {
        let members = try node.mapping(of: "a random walk", keys: ProfileKeys.randomWalk)
        let context = node.context
        let step = context.attempt(try members["step"]?.integer(in: 1...Int64(Int32.max))) ?? 1
        let prefix = context.attempt(try members["prefix"]?.value(maximumLength: longestPrefix)) ?? []
        let seed = context.attempt(try members["seed"]?.integer(in: Int64(0)...Int64.max)).map { UInt64($0) }
        let type = context.attempt(try integerFormat(members.required("type")))
        let from = context.attempt(try members.required("from"))
        let to = context.attempt(try members.required("to"))
        guard let number = type, let from, let to else { throw node.consequence() }
        let low = context.attempt(try from.integer(in: number.range))
        let high = try to.integer(in: number.range)
        guard let low else { throw node.consequence() }
        guard low <= high else { throw to.fail("\"to\" is below \"from\"") }
        return NotificationPlan.RandomWalk(number: number, range: low...high, step: step, prefix: prefix, seed: seed)
    }

    private static func heartRate(_ node: FileNode, interval: Double) throws(FileMistake) -> HeartRateSettings {
        let members = try node.mapping(of: "a heart rate", keys: ProfileKeys.heartRate)
        var settings = HeartRateSettings(interval: interval)
        let context = node.context
        if let range = context.attempt(try members["bpm"]?.range(within: HeartRateSettings.possibleRates)) {
            settings.rateRange = range
        }
        let forms = HeartRateSettings.RateForms.allCases.map { ($0.rawValue, $0) }
        if let form = context.attempt(try members["rate-format"]?.choice(of: "rate format", among: forms)) {
            settings.rateForms = form
        }
        let kinds = HeartRateSettings.ContactDetection.allCases.map { ($0.rawValue, $0) }
        if let kind = context.attempt(try members["contact"]?.choice(of: "contact detection", among: kinds)) {
            settings.contactDetection = kind
        }
        return settings
    }

    private static func integerFormat(_ node: FileNode) throws(FileMistake) -> IntegerFormat {
        try node.choice(of: "number type", among: IntegerFormat.allCases.map { ($0.rawValue, $0) })
    }
}
