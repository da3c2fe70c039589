import Foundation
import Yams

/// Checks documents against a JSON Schema, as far as the schemas of profiles use it; what it does not know fails.
struct SchemaValidator {
    private let root: [String: Any]

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// Why a YAML text is not valid; nil if it is.
    func problem(in yaml: String) throws -> String? {
        guard let node = try Yams.compose(yaml: yaml, .basic, .default, .utf8) else { return "nothing" }
        return problem(Self.value(node), root, "")
    }

    /// As YAML 1.2 has it, and with it editors' language servers.
    private static func value(_ node: Yams.Node) -> Any {
        switch node {
        case .mapping(let mapping):
            return Dictionary(mapping.map { ($0.key.string ?? "", value($0.value)) }) { first, _ in first }
        case .sequence(let sequence): return sequence.map(value)
        case .alias: return "alias"
        case .scalar(let scalar):
            let text = scalar.string
            guard scalar.style == .plain || scalar.style == .any else { return text }
            switch text {
            case "true", "True", "TRUE": return true
            case "false", "False", "FALSE": return false
            case "", "~", "null": return NSNull()
            default:
                if text.hasPrefix("0x"), let number = Int(text.dropFirst(2), radix: 16) { return number }
                if let number = Int(text) { return number }
                let isNumeric = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
                return isNumeric ? Double(text) as Any? ?? text : text
            }
        }
    }

    private func problem(_ value: Any, _ schema: [String: Any], _ path: String) -> String? {
        for (key, rule) in schema {
            if let problem = problem(value, key, rule, schema, path) { return "\(path): \(problem)" }
        }
        return nil
    }

    private func problem(_ value: Any, _ key: String, _ rule: Any, _ schema: [String: Any], _ path: String) -> String? {
        let object = value as? [String: Any]
        let list = value as? [Any]
        func check(_ rules: Any?) -> [String?] {
            (rules as? [[String: Any]] ?? []).map { problem(value, $0, path) }
        }
        switch key {
        case "$schema", "$comment", "title", "description", "definitions": return nil
        case "$ref":
            let name = (rule as? String ?? "").split(separator: "/").last.map(String.init) ?? ""
            let definition = (root["definitions"] as? [String: Any])?[name] as? [String: Any]
            return definition.map { problem(value, $0, path) } ?? "no definition \(name)"
        case "type":
            let types = rule as? [String] ?? [rule as? String ?? ""]
            return types.contains { Self.isOf($0, value) } ? nil : "no \(types)"
        case "enum": return (rule as? [String] ?? []).contains(value as? String ?? "\u{0}") ? nil : "none of the words"
        case "const": return rule as? Bool == value as? Bool && value is Bool ? nil : "not \(rule)"
        case "pattern":
            guard let text = value as? String else { return nil }
            return text.range(of: rule as? String ?? "", options: .regularExpression) == nil ? "not that form" : nil
        case "items":
            for (index, element) in (list ?? []).enumerated() {
                if let problem = problem(element, rule as? [String: Any] ?? [:], "\(path)[\(index)]") { return problem }
            }
            return nil
        case "minItems": return list.map { $0.count >= rule as? Int ?? 0 } ?? true ? nil : "too few"
        case "maxItems": return list.map { $0.count <= rule as? Int ?? 0 } ?? true ? nil : "too many"
        case "minProperties": return object.map { $0.count >= rule as? Int ?? 0 } ?? true ? nil : "too few"
        case "maxProperties": return object.map { $0.count <= rule as? Int ?? 0 } ?? true ? nil : "too many"
        case "required":
            let missing = (rule as? [String] ?? []).first { object?[$0] == nil }
            return object == nil ? nil : missing.map { "no \($0)" }
        case "properties":
            for (name, rule) in rule as? [String: [String: Any]] ?? [:] {
                if let member = object?[name], let problem = problem(member, rule, "\(path).\(name)") { return problem }
            }
            return nil
        case "additionalProperties":
            let known = (schema["properties"] as? [String: Any] ?? [:]).keys
            for (name, member) in object ?? [:] where !known.contains(name) {
                guard let rule = rule as? [String: Any] else { return "unknown key \(name)" }
                if let problem = problem(member, rule, "\(path).\(name)") { return problem }
            }
            return nil
        case "allOf": return check(rule).compactMap(\.self).first
        case "anyOf": return check(rule).contains(nil) ? nil : "none of the forms"
        case "oneOf": return check(rule).count { $0 == nil } == 1 ? nil : "not exactly one"
        default: return "the schema has \(key), which this does not know"
        }
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int && !(value is Bool)
        case "number": (value is Int || value is Double) && !(value is Bool)
        default: false
        }
    }
}
