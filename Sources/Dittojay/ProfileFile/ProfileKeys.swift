import PlainText

/// The keys of a profile file's mappings: those that its readers accept, and its schema describes.
enum ProfileKeys {
    static let profile = [
        "name", "local-name", "appearance", "advertise", "pairing", "services", "scenario", "recording", "l2cap",
    ]
    static let pairing = ["io", "passkey"]
    static let advertisement = ["manufacturer", "service-data", "tx-power", "interval"]
    static let manufacturer = ["company", "data"]
    static let service = [
        "name", "uuid", "standard", "security", "primary", "advertised", "published", "characteristics",
    ]
    static let serviceKinds = ["uuid", "standard"]
    static let characteristic = [
        "name", "uuid", "properties", "encrypted", "authenticated", "secure-connections", "value", "description",
        "format", "descriptors", "count-of", "psm-of", "write", "notify", "split", "chirps", "quiet", "faults",
    ]
    static let format = ["type", "exponent", "unit"]
    static let descriptor = ["uuid", "value"]

    static let write = ["lengths", "store", "echo", "count", "when"]
    static let conditions = ["value", "prefix", "pattern", "any"]
    static let outcomes = ["do", "refuse"]

    static let sources = ["value", "values", "counter", "random-walk", "heart-rate"]
    static let notifications = ["every", "once"] + sources
    static let counter = ["type", "from", "step", "prefix"]
    static let randomWalk = ["type", "from", "to", "step", "prefix", "seed"]
    static let heartRate = ["bpm", "rate-format", "contact"]

    static let fault = ["on"] + FaultEntry.keys + Fault.Action.names
    static let flood = ["count", "value"]

    static let channel = ["name", "mode", "psm", "encrypted", "bytes", "file"]

    static let recording = ["pace", "repeat", "values"]

    static let scenario = ["scenario"]
    static let step = [
        "wait", "wait-for", "expect", "expect-not", "send", "set", "chirp", "burst", "add-service", "remove-service",
        "disconnect", "fault",
        "clear-faults", "reset-count", "reset-energy", "repeat", "advertise", "power", "silence",
        "quit",
    ]
    static let waitFor = ["occasion", "on"]
    static let values = ["value", "prefix", "pattern"]
    static let event = ["occasion", "on", "times", "att-error"] + values
    static let orders = ScenarioExpectation.Order.allCases.map(\.rawValue)
    static let expectation = event + orders + ["within", "title"]
    static let send = ["on", "value", "values", "every"]
    static let set = ["on", "value"]
    static let burst = ["count", "size", "rate"]
    static let repetition = ["times", "steps"]
}
