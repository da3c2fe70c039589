import Foundation
import Testing

@testable import Dittojay

@Suite struct ProfileSchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../..")

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `the published schemas are those that dittojay prints`() throws {
        #expect(
            try text("docs/profile.schema.json") == ProfileSchema.profile, "dittojay schema > docs/profile.schema.json")
        #expect(
            try text("docs/scenario.schema.json") == ProfileSchema.scenario,
            "dittojay schema --scenario > docs/scenario.schema.json")
    }

    @Test func `they describe every key that is read, and no other`() {
        for (keys, mapping) in ProfileSchema.mappings {
            #expect(Set(mapping.keys.map(\.0)) == Set(keys))
            #expect(Set(mapping.required).isSubset(of: keys))
            for choice in mapping.exactlyOne { #expect(Set(choice).isSubset(of: keys)) }
        }
    }

    @Test func `every example is valid, and begins with the line by which editors find the schema`() throws {
        let folder = Self.root.appendingPathComponent("Fixtures/profiles")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(files.count >= 8)
        for file in files {
            let isScenario = ["service-change.yaml", "uart-test.yaml"].contains(file)
            let example = try text("Fixtures/profiles/" + file)
            let validator = try SchemaValidator(isScenario ? ProfileSchema.scenario : ProfileSchema.profile)
            #expect(try validator.problem(in: example) == nil, "\(file)")
            let schema = isScenario ? "scenario" : "profile"
            #expect(example.hasPrefix("# yaml-language-server: $schema=../../docs/\(schema).schema.json\n"), "\(file)")
        }
    }

    @Test func `every other profile in the repository is valid`() throws {
        let validator = try SchemaValidator(ProfileSchema.profile)
        let files = ["coffee", "download-log", "serial-number", "unlock"].map { "Fixtures/readme/\($0).yaml" }
        let others = ["Fixtures/python-app/tests/thermometer.yaml", "scripts/python/repository/bench/sensor.yaml"]
        for file in files + others {
            #expect(try validator.problem(in: text(file)) == nil, "\(file)")
        }
    }

    @Test(arguments: ProfileTemplate.all.map(\.name) + ["glucose"])
    func `every template is a valid profile without a warning`(name: String) throws {
        let template = try #require(ProfileTemplate(named: name))
        for (profile, schema) in [("my \"own\" \(name)", nil), ("yes", "profile.schema.json")] as [(String, String?)] {
            let text = template.text(profile: profile, schema: schema)
            #expect(text.contains("\n#"))
            #expect(text.hasPrefix("# yaml-language-server: $schema=profile.schema.json\n") == (schema != nil))
            let content = try ProfileFile.parse(text, file: name)
            #expect(content.warnings == [])
            #expect(content.value.name == profile.filter { $0 != "\"" })
            #expect(try SchemaValidator(ProfileSchema.profile).problem(in: text) == nil)
        }
    }

    @Test func `there is no template for what is none`() {
        for name in ["", "x", "generic-access", "1800"] { #expect(ProfileTemplate(named: name) == nil) }
    }

    @Test func `what a profile can have is valid`() throws {
        let validator = try SchemaValidator(ProfileSchema.profile)
        let good = [
            "services: [{uuid: 1802}]", "services: [{uuid: 0x180D, advertised: yes, published: off}]",
            "services: [{uuid: 12345678-1234-1234-1234-123456789abc, primary: True}]",
            "appearance: 0x0300\nservices: [{uuid: 180F}]", "appearance: heart-rate-belt\nservices: [{uuid: 180F}]",
            "advertise: {manufacturer: {company: nordic-semiconductor-asa}, service-data: {180F: u8:1}}\nservices: [{uuid: 180F}]",
            "advertise: {manufacturer: [{company: 1}, {company: 2, data: u8:1}], tx-power: yes}\nservices: [{uuid: 180F}]",
            "services: [{uuid: 180F}]\nscenario: [quit, {wait: 1.5 s}, {repeat: {times: 2, steps: [disconnect]}}]",
            "services: [{uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], value: [u8:1, [empty, hex:0A-0b]]}]}]",
            "services: [{uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], format: {type: u8, unit: 0x27AD}}]}]",
        ]
        for text in good {
            _ = try ProfileFile.parse(text, file: "x")
            #expect(try validator.problem(in: text) == nil, "\(text)")
        }
    }

    @Test func `most common mistakes are none the less mistakes by the schema`() throws {
        let validator = try SchemaValidator(ProfileSchema.profile)
        var valid: [String] = []
        for example in CommonMistake.all {
            let good = try text("Fixtures/profiles/\(example.file).yaml")
            let range = try #require(good.range(of: example.original))
            let text = good.replacingCharacters(in: range, with: example.mistake)
            if try validator.problem(in: text) == nil { valid.append(example.testDescription) }
        }
        // The rest are numbers out of their range, and what refers to something that there is not.
        #expect(valid.count < CommonMistake.all.count / 4, "\(valid.joined(separator: "\n"))")
    }
}
