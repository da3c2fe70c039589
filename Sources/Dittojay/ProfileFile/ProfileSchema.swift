import PlainText
import AssignedNumbers
import CoreBluetooth
import GATTProfiles

/// The JSON Schema of profile files, for editors that complete and check them.
///
/// It consists of the keys and words that the readers accept. It is stricter than they are about the spelling of names
/// (as they are typed, such as `heart-rate`), and cannot express all that `dittojay check` checks: whether names refer
/// to something, and what belongs together.
package enum ProfileSchema {
    /// The schema of profiles, in several lines.
    package static var profile: String { document("A profile of dittojay", .object(profileKeys)) }

    /// The schema of scenarios in files of their own.
    package static var scenario: String {
        document("A scenario of dittojay", .anyOf([.ref("steps"), .object(scenarioKeys)]))
    }

    private static func document(_ title: String, _ root: Schema) -> String {
        let members: [(String, JSONValue)] =
            [
                ("$schema", "http://json-schema.org/draft-07/schema#"), ("title", .text(title)),
                ("$comment", "Made by dittojay schema."),
            ] + root.members + [
                ("definitions", .object(definitions.map { ($0.name, .object($0.schema.members)) }))
            ]
        return JSONValue.object(members).indented + "\n"
    }

    // MARK: Mappings

    /// All mappings with their keys, for the test that none is missing.
    static var mappings: [(keys: [String], mapping: Mapping)] {
        [
            (ProfileKeys.profile, profileKeys), (ProfileKeys.advertisement, advertisement),
            (ProfileKeys.manufacturer, manufacturer), (ProfileKeys.pairing, pairing), (ProfileKeys.service, service),
            (ProfileKeys.characteristic, characteristic), (ProfileKeys.format, format), (ProfileKeys.write, write),
            (ProfileKeys.conditions + ProfileKeys.outcomes, reaction), (ProfileKeys.notifications, notifications),
            (ProfileKeys.counter, counter), (ProfileKeys.randomWalk, randomWalk), (ProfileKeys.heartRate, heartRate),
            (ProfileKeys.fault, fault()), (ProfileKeys.flood, flood), (ProfileKeys.recording, recording),
            (ProfileKeys.channel, channel),
            (ProfileKeys.scenario, scenarioKeys),
            (ProfileKeys.step, step), (ProfileKeys.waitFor, waitFor), (ProfileKeys.event, event),
            (ProfileKeys.expectation, expectation), (ProfileKeys.send, send), (ProfileKeys.set, set),
            (ProfileKeys.burst, burst), (ProfileKeys.repetition, repetition),
        ]
    }

    private static let profileKeys = Mapping(
        [
            ("name", .ref("text").described("The profile's name, in messages; default: the file's.")),
            ("local-name", .ref("text").described("The advertised name, at most 26 bytes; default: Dittojay.")),
            ("appearance", .ref("appearance").described("What the device looks like, in the advertisement.")),
            ("advertise", .object(advertisement).described("Further data in the advertisement.")),
            ("pairing", .object(pairing).described("How it pairs; default: Just Works.")),
            ("services", .list(.object(service), of: ProfileReader.possibleCounts)),
            ("scenario", .ref("steps").described("What is done from the start.")),
            ("recording", .object(recording).described("What is sent as a device has sent it once.")),
            ("l2cap", .list(.object(channel), of: ChannelReader.possibleCounts).described("Channels beside GATT.")),
        ], required: ["services"])

    private static let scenarioKeys = Mapping([("scenario", .ref("steps"))], required: ["scenario"])

    private static let advertisement = Mapping([
        (
            "manufacturer",
            .anyOf([.object(manufacturer), .list(.object(manufacturer), of: ProfileReader.possibleManufacturers)])
                .described("Data of a company, or of several.")
        ),
        ("service-data", .map(of: .ref("value")).described("Data by the service's UUID or assigned name.")),
        ("tx-power", .ref("flag").described("Whether the controller's transmit power is in it; default: false.")),
        ("interval", .ref("time").described("Between two advertisements, from 20 ms to 10.24 s.")),
    ])

    private static let manufacturer = Mapping(
        [("company", .ref("company")), ("data", .ref("value"))], required: ["company"])

    private static let pairing = Mapping(
        [
            (
                "io",
                .words(CBPairingCapability.allCases.map(\.rawValue)).described(
                    "What its user can do with six digits: show, confirm, enter them.")
            ),
            (
                "passkey",
                .pattern("^[0-9]{6}$", orInteger: true).described("What it enters by itself; default: it asks.")
            ),
        ], required: ["io"])

    private static let service = Mapping(
        [
            ("name", .ref("name")), ("uuid", .ref("service-uuid")),
            (
                "standard",
                .words(StandardService.allCases.map(\.rawValue)).described(
                    "A service of the Bluetooth SIG with its characteristics, and values that change by themselves.")
            ),
            (
                "security",
                .words(StandardSecurity.allCases.map(\.rawValue)).described(
                    "What a central needs for the characteristics of a standard service; default: open.")
            ),
            ("primary", .ref("flag").described("Default: true.")),
            ("advertised", .ref("flag").described("Whether the UUID is in the advertisement; default: false.")),
            ("published", .ref("flag").described("Whether it is there from the start; default: true.")),
            ("characteristics", .list(.object(characteristic), of: 0...ProfileReader.possibleCounts.upperBound)),
        ], exactlyOne: [ProfileKeys.serviceKinds])

    private static let characteristic = Mapping(
        [
            ("name", .ref("name")), ("uuid", .ref("characteristic-uuid")),
            ("properties", .list(.words(CharacteristicReader.properties.map(\.0)), of: 1...Int.max)),
            (
                "encrypted",
                .anyOf([.ref("flag"), .list(.words(CharacteristicReader.encryptedUses.map(\.0)))])
                    .described("What needs pairing: true for all, or a list.")
            ),
            (
                "authenticated",
                .anyOf([.ref("flag"), .list(.words(CharacteristicReader.encryptedUses.map(\.0)))])
                    .described("What needs pairing with a passkey or a comparison: true for all, or a list.")
            ),
            (
                "secure-connections",
                .anyOf([.ref("flag"), .list(.words(CharacteristicReader.encryptedUses.map(\.0)))])
                    .described("What needs such a pairing by LE Secure Connections: true for all, or a list.")
            ),
            ("value", .ref("value").described("What it has at first; default: empty.")),
            ("description", .ref("text").described("The Characteristic User Description.")),
            (
                "format",
                .anyOf([.ref("format-type"), .object(format)]).described("The Characteristic Presentation Format.")
            ),
            ("count-of", .ref("reference").described("Reads give how often that characteristic was written.")),
            ("psm-of", .ref("name").described("Reads give the number of that L2CAP channel.")),
            ("write", .object(write).described("What a write does; default: the value is stored.")),
            ("notify", .object(notifications).described("What is sent while somebody is subscribed.")),
            ("split", .ref("range").described("What is sent is cut into pieces of so many bytes.")),
            ("chirps", .ref("flag").described("Whether dittojay chirp and dittojay burst use it.")),
            ("quiet", .ref("flag").described("Whether reads and writes are left out of the output.")),
            ("faults", .list(.ref("fault")).described("What goes wrong.")),
        ], required: ["uuid", "properties"])

    private static let format = Mapping(
        [("type", .ref("format-type")), ("exponent", .ref("integer")), ("unit", .ref("unit"))], required: ["type"])

    private static let write = Mapping([
        ("lengths", .ref("range").described("Other lengths are refused with 0x0D.")), ("store", .ref("flag")),
        ("echo", .ref("reference").described("Where the value is sent to.")), ("count", .ref("flag")),
        ("when", .list(.object(reaction)).described("Reactions: the first that matches is used.")),
    ])

    private static let reaction = Mapping(
        [
            ("value", .ref("value")), ("prefix", .ref("value")), ("pattern", .ref("pattern")), ("any", .ref("true")),
            ("do", .ref("steps")), ("refuse", .ref("att-error")),
        ], exactlyOne: [ProfileKeys.conditions, ProfileKeys.outcomes])

    private static let notifications = Mapping(
        [
            ("every", .ref("time")), ("once", .ref("flag").described("Whether the values are sent only once.")),
            ("value", .ref("value")), ("values", .list(.ref("value"), of: 1...Int.max)),
            ("counter", .object(counter)), ("random-walk", .object(randomWalk)), ("heart-rate", .object(heartRate)),
        ], exactlyOne: [ProfileKeys.sources])

    private static let counter = Mapping(
        [
            ("type", .ref("number-type")), ("from", .ref("integer")), ("step", .ref("integer")),
            ("prefix", .ref("value")),
        ], required: ["type"])

    private static let randomWalk = Mapping(
        [
            ("type", .ref("number-type")), ("from", .ref("integer")), ("to", .ref("integer")),
            ("step", .ref("integer")), ("prefix", .ref("value")), ("seed", .ref("integer")),
        ], required: ["type", "from", "to"])

    private static let heartRate = Mapping([
        ("bpm", .ref("range")), ("rate-format", .words(HeartRateSettings.RateForms.allCases.map(\.rawValue))),
        ("contact", .words(HeartRateSettings.ContactDetection.allCases.map(\.rawValue))),
    ])

    /// - Parameter others: what a fault in a step has besides.
    private static func fault(besides others: [(String, Schema)] = []) -> Mapping {
        Mapping(
            others + [
                ("on", .words(Fault.Trigger.allCases.map(\.rawValue))),
                ("after", .ref("integer").described("How often it does not happen at first.")),
                ("times", .ref("integer").described("How often it happens; default: always.")),
                (
                    "chance",
                    .pattern("^([0-9]+\\.?[0-9]*|\\.[0-9]+) *%$").described(
                        "How likely it happens each time, as the seed has it: 20 %; default: 100 %.")
                ),
                ("no-answer", .ref("true")), ("error", .ref("att-error")), ("disconnect", .ref("true")),
                ("delay", .ref("time")), ("flood", .anyOf([.ref("integer"), .object(flood)])), ("drop", .ref("true")),
                ("duplicate", .ref("true").described("The value is sent twice.")),
                ("resize", .ref("integer").described("The value is cut off or filled up to this many bytes.")),
            ], required: others.map(\.0) + ["on"], exactlyOne: [Fault.Action.names])
    }

    private static let flood = Mapping(
        [("count", .ref("integer")), ("value", .ref("value"))], required: ["count"])

    private static let channel = Mapping(
        [
            ("name", .ref("name")),
            ("mode", .words(ChannelReader.modes.map(\.0)).described("What happens on it.")),
            ("psm", .ref("integer").described("Its number, 128 to 255; default: the first that is free.")),
            ("encrypted", .ref("flag").described("Whether a central has to pair first; default: false.")),
            ("bytes", .ref("integer").described("How much a counter sends; default: no end.")),
            ("file", .ref("text").described("What the mode file sends, from the profile's folder.")),
        ], required: ["name", "mode"])

    private static let recording = Mapping(
        [
            ("pace", .pattern("^([0-9]+\\.?[0-9]*|\\.[0-9]+)$", orNumber: true).described("2 is twice as fast.")),
            ("repeat", .ref("flag").described("Whether it begins again when it has ended; default: false.")),
            ("values", .list(.ref("recorded-value"), of: Recording.possibleCounts)),
        ], required: ["values"])

    // MARK: Steps

    private static let step = Mapping(
        [
            ("wait", .ref("time")), ("wait-for", .anyOf([.ref("occasion"), .object(waitFor)])),
            (
                "expect",
                .anyOf([.ref("occasion"), .object(expectation)]).described(
                    "What centrals are to do, or the scenario fails.")
            ),
            (
                "expect-not",
                .anyOf([.ref("occasion"), .object(expectation)]).described("What they must not do meanwhile.")
            ),
            ("send", .object(send)), ("set", .object(set)), ("chirp", .ref("value")), ("burst", .object(burst)),
            ("add-service", .ref("reference")), ("remove-service", .ref("reference")), ("disconnect", .ref("true")),
            ("fault", .object(fault(besides: [("characteristic", .ref("reference"))]))),
            ("clear-faults", .ref("reference")), ("reset-count", .ref("reference")),
            ("reset-energy", .ref("reference")), ("repeat", .object(repetition)),
            ("advertise", .ref("flag").described("Whether it advertises from now on.")),
            ("power", .ref("flag").described("Whether the controller is on from now on.")),
            ("silence", .ref("time").described("How long nothing is sent or answered.")),
            ("quit", .ref("true")),
        ], members: 1)

    private static let waitFor = Mapping(
        [("occasion", .ref("occasion")), ("on", .ref("reference"))], required: ["occasion"])
    private static let eventKeys: [(String, Schema)] = [
        ("occasion", .ref("occasion")), ("on", .ref("reference")),
        ("times", .ref("integer").described("How often; default: once.")),
        ("att-error", .ref("att-error").described("What the request is refused with.")), ("value", .ref("value")),
        ("prefix", .ref("value")), ("pattern", .ref("pattern")),
    ]
    private static let event = Mapping(eventKeys, required: ["occasion"])
    private static let expectation = Mapping(
        eventKeys
            + ProfileKeys.orders.map {
                ($0, .list(.anyOf([.ref("occasion"), .object(event)]), of: ScenarioExpectation.possibleEvents))
            }
            + [
                ("within", .ref("time").described("How long it may take; default: 10 s.")),
                ("title", .ref("text").described("What it is called in the report.")),
            ], exactlyOne: [["occasion"] + ProfileKeys.orders])
    private static let send = Mapping(
        [
            ("on", .ref("reference")), ("value", .ref("value")), ("values", .list(.ref("value"))),
            ("every", .ref("time")),
        ], required: ["on"], exactlyOne: [["value", "values"]])
    private static let set = Mapping(
        [("on", .ref("reference")), ("value", .ref("value"))], required: ["on", "value"])
    private static let burst = Mapping(
        [("count", .ref("integer")), ("size", .ref("integer")), ("rate", .ref("integer"))], required: ["count"])
    private static let repetition = Mapping(
        [("times", .ref("integer")), ("steps", .ref("steps"))], required: ["times", "steps"])

    // MARK: Words and numbers

    private static var definitions: [(name: String, schema: Schema)] {
        [
            ("text", .types(["string", "number", "boolean"])),
            (
                "name",
                .pattern("^[^\\s!-,/:-@\\[-^`{-~]{1,64}$", orNumber: true).described("For messages and references.")
            ),
            ("reference", .types(["string", "number"]).described("The name or UUID of a characteristic or service.")),
            ("flag", .anyOf([.types(["boolean"]), .pattern("^([Tt]rue|[Ff]alse|[Yy]es|[Nn]o|[Oo]n|[Oo]ff)$")])),
            ("true", .anyOf([.constant(true), .pattern("^([Tt]rue|[Yy]es|[Oo]n)$")])),
            ("integer", .pattern("^-?(0x[0-9A-Fa-f]+|[0-9]+)$", orInteger: true)),
            ("range", .pattern("^[0-9]+(-[0-9]+)?$", orInteger: true).described("A number, or two: 5, 1-20.")),
            (
                "time",
                .pattern("^([0-9]+\\.?[0-9]*|\\.[0-9]+) *(ms|s|min)$").described(
                    "With its unit: 250 ms, 1.5 s, 2 min.")
            ),
            (
                "recorded-value",
                .pattern("^([0-9]+\\.?[0-9]*|\\.[0-9]+) *(ms|s|min) +[^ ]+ +(empty|[a-z0-9]+:[\\s\\S]*)$").described(
                    "Time, characteristic and value: 1.5 s heart-rate-measurement hex:0648.")
            ),
            ("value", .anyOf([.ref("simple-value"), .list(.ref("value"))])),
            (
                "simple-value",
                .pattern("^(empty|text:[\\s\\S]*|hex:[-0-9A-Fa-f: ]*|[ui](8|16|32|64)(be)?: *-?(0x)?[0-9A-Fa-f].*)$")
                    .described("hex:0A 0B, text:hello, u8:1, i16:-5, u32be:1, u8:1 2 3, empty.")
            ),
            ("pattern", .pattern("^(hex|text):[\\s\\S]*$").described("hex:01 ?? 03 *, text:SET *.")),
            ("number-type", .words(IntegerFormat.allCases.map(\.rawValue))),
            ("format-type", .words(PresentationFormat.names.map(\.name))),
            ("unit", .names(PresentationFormat.allUnitNames, or: "^0x[0-9A-Fa-f]{1,4}$")),
            ("service-uuid", uuid(.service)), ("characteristic-uuid", uuid(.characteristic)),
            ("appearance", .names(AssignedKind.appearance.all.map(\.typedName), or: "^(0x[0-9A-Fa-f]{1,4}|[0-9]+)$")),
            // Thousands of names would make editors slow.
            ("company", .types(["string", "integer"]).described("Its number, 0xFFFF for tests, or its name.")),
            ("att-error", .names(ATTErrorNames.all.map(\.name), or: "^(0x[0-9A-Fa-f]{1,2}|[0-9]+)$")),
            ("occasion", .words(ScenarioStep.Occasion.allCases.map(\.rawValue))),
            ("fault", .object(fault())),
            ("step", .anyOf([.words(StepReader.words), .object(step)])),
            ("steps", .list(.ref("step"))),
        ]
    }

    private static func uuid(_ kind: AssignedKind) -> Schema {
        let own = OwnAttributes.all.filter { $0.kind == kind }.map { TypedName.text($0.name) }
        let digits = "^(0x)?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"
        return .names(kind.all.map(\.typedName) + own, or: digits)
            .described("4, 8 or 36 characters, or an assigned name.")
    }
}
