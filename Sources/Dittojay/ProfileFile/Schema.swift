/// A part of a JSON Schema: its members.
struct Schema: Swift.Sendable {
    var members: [JSONValue.Member]

    private init(_ members: [JSONValue.Member]) {
        self.members = members
    }

    func described(_ text: String) -> Schema {
        // In draft 7 nothing beside a reference counts, so the reference moves into a list of one.
        let isReference = members.first?.key == "$ref"
        let own = isReference ? [JSONValue.Member("allOf", .array([.object(members)]))] : members
        return Schema([.init("description", .string(text))] + own)
    }

    static func ref(_ name: String) -> Schema { Schema([.init("$ref", .string("#/definitions/\(name)"))]) }

    static func types(_ names: [String]) -> Schema {
        Schema([.init("type", names.count == 1 ? .string(names[0]) : .strings(names))])
    }

    static func constant(_ value: JSONValue) -> Schema { Schema([.init("const", value)]) }

    static func words(_ words: [String]) -> Schema { Schema([.init("enum", .strings(words))]) }

    /// A text of a form; or a number, which has no form.
    static func pattern(_ pattern: String, orNumber: Bool = false, orInteger: Bool = false) -> Schema {
        let types = ["string"] + (orNumber ? ["number"] : orInteger ? ["integer"] : [])
        return Schema(Schema.types(types).members + [.init("pattern", .string(pattern))])
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
        Schema([.init("anyOf", .array(schemas.map { .object($0.members) }))])
    }

    static func list(_ element: Schema, of counts: ClosedRange<Int> = 0...Int.max) -> Schema {
        var members: [JSONValue.Member] = [.init("type", "array"), .init("items", .object(element.members))]
        if counts.lowerBound > 0 { members.append(.init("minItems", .number(Int64(counts.lowerBound)))) }
        if counts.upperBound < Int.max { members.append(.init("maxItems", .number(Int64(counts.upperBound)))) }
        return Schema(members)
    }

    static func map(of value: Schema) -> Schema {
        Schema([.init("type", "object"), .init("additionalProperties", .object(value.members))])
    }

    static func object(_ mapping: Mapping) -> Schema {
        var members: [JSONValue.Member] = [
            .init("type", "object"), .init("additionalProperties", false),
            .init("properties", .object(mapping.keys.map { .init($0.0, .object($0.1.members)) })),
        ]
        if !mapping.required.isEmpty { members.append(.init("required", .strings(mapping.required))) }
        let choices = mapping.exactlyOne.map { keys in
            Schema([
                .init("oneOf", .array(keys.map { .object([.init("required", .strings([$0]))]) }))
            ])
        }
        if !choices.isEmpty { members.append(.init("allOf", .array(choices.map { .object($0.members) }))) }
        if let count = mapping.members {
            members += [.init("minProperties", .number(Int64(count))), .init("maxProperties", .number(Int64(count)))]
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
