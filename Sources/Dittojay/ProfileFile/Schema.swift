import PlainText

/// A part of a JSON Schema: its members.
struct Schema: Swift.Sendable {
    var members: [(String, JSONValue)]

    private init(_ members: [(String, JSONValue)]) {
        self.members = members
    }

    func described(_ text: String) -> Schema {
        // In draft 7 nothing beside a reference counts, so the reference moves into a list of one.
        let isReference = members.first?.0 == "$ref"
        let own: [(String, JSONValue)] = isReference ? [("allOf", .list([.object(members)]))] : members
        return Schema([("description", .text(text))] + own)
    }

    static func ref(_ name: String) -> Schema { Schema([("$ref", .text("#/definitions/\(name)"))]) }

    static func types(_ names: [String]) -> Schema {
        Schema([("type", names.count == 1 ? .text(names[0]) : .texts(names))])
    }

    static func constant(_ value: JSONValue) -> Schema { Schema([("const", value)]) }

    static func words(_ words: [String]) -> Schema { Schema([("enum", .texts(words))]) }

    /// A text of a form; or a number, which has no form.
    static func pattern(_ pattern: String, orNumber: Bool = false, orInteger: Bool = false) -> Schema {
        let types = ["string"] + (orNumber ? ["number"] : orInteger ? ["integer"] : [])
        return Schema(Schema.types(types).members + [("pattern", .text(pattern))])
    }

    /// One of many names; or a number, or a text of a form.
    static func names(_ names: [String], or pattern: String) -> Schema {
        var unique: [String] = []
        var known: Set<String> = []
        for name in names where known.insert(name).inserted { unique.append(name) }
        // YAML reads 1812 as a number, and 2E10, too.
        return .anyOf([.words(unique), .pattern(pattern, orNumber: true)])
    }

    static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema([("anyOf", .list(schemas.map { .object($0.members) }))])
    }

    static func list(_ element: Schema, of counts: ClosedRange<Int> = 0...Int.max) -> Schema {
        var members: [(String, JSONValue)] = [("type", "array"), ("items", .object(element.members))]
        if counts.lowerBound > 0 { members.append(("minItems", .number(counts.lowerBound))) }
        if counts.upperBound < Int.max { members.append(("maxItems", .number(counts.upperBound))) }
        return Schema(members)
    }

    static func map(of value: Schema) -> Schema {
        Schema([("type", "object"), ("additionalProperties", .object(value.members))])
    }

    static func object(_ mapping: Mapping) -> Schema {
        var members: [(String, JSONValue)] = [
            ("type", "object"), ("additionalProperties", false),
            ("properties", .object(mapping.keys.map { ($0.0, .object($0.1.members)) })),
        ]
        if !mapping.required.isEmpty { members.append(("required", .texts(mapping.required))) }
        let choices = mapping.exactlyOne.map { keys in
            Schema([
                ("oneOf", .list(keys.map { .object([("required", .texts([$0]))]) }))
            ])
        }
        if !choices.isEmpty { members.append(("allOf", .list(choices.map { .object($0.members) }))) }
        if let count = mapping.members {
            members += [("minProperties", .number(count)), ("maxProperties", .number(count))]
        }
        return Schema(members)
    }
}

/// The members that a mapping may have.
struct Mapping: Swift.Sendable {
    let keys: [(String, Schema)]
    let required: [String]
    /// Exactly one key of each of these sets is present.
    let exactlyOne: [[String]]
    /// How many members there are; nil for any number.
    let members: Int?

    init(_ keys: [(String, Schema)], required: [String] = [], exactlyOne: [[String]] = [], members: Int? = nil) {
        self.keys = keys
        self.required = required
        self.exactlyOne = exactlyOne
        self.members = members
    }
}
