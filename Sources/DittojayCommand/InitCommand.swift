import ArgumentParser
import Dittojay
import Foundation
import LineOutput
import PlainText

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a commented profile file from a template.",
        discussion: """
            Writes NAME.yaml and, unless it exists, \(schemaName) in the same folder, with which editors complete and check \
            the file.

            TEMPLATES
            \(ProfileTemplate.all.map { "  \($0.name): \($0.summary.prefix(1).lowercased() + $0.summary.dropFirst())" }
                .joined(separator: "\n"))
              and the assigned name of any service (dittojay names --kind service)
            """)

    static let schemaName = "profile.schema.json"

    @Argument(help: "The profile's name.")
    var name: String

    @Option(help: "The template (default: the one with the profile's name, otherwise thermometer).")
    var template: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Flag(name: .customLong("no-schema"), help: "Do not write a schema or refer to it.")
    var hasNoSchema = false

    private var file: String { name.hasSuffix(".yaml") ? name : name + ".yaml" }

    func validate() throws {
        guard !name.isEmpty, !name.hasSuffix("/") else { throw ValidationError("NAME is the name of a file") }
    }

    func run() throws {
        let url = URL(fileURLWithPath: file)
        let profile = url.deletingPathExtension().lastPathComponent
        guard
            let chosen = ProfileTemplate(named: template ?? profile)
                ?? (template == nil ? ProfileTemplate.all.first : nil)
        else {
            let names = ProfileTemplate.all.map(\.name)
            let suggestion = Suggestion.text(for: template ?? "", among: names)
            StandardError.write(
                "dittojay: unknown template \"\(template ?? "")\"\(suggestion); valid: "
                    + "\(names.joined(separator: ", ")), or the assigned name of a service")
            throw ExitCode.validationFailure
        }
        let text = chosen.text(profile: profile, schema: hasNoSchema ? nil : Self.schemaName)
        try NewFile.write(text, to: url, overwriting: force)
        try StandardOutput.write(["\(file): \(chosen.summary.prefix(1).lowercased() + chosen.summary.dropFirst())"])
        guard !hasNoSchema else { return }
        let schema = url.deletingLastPathComponent().appendingPathComponent(Self.schemaName)
        if !FileManager.default.fileExists(atPath: schema.path) {
            try NewFile.write(ProfileSchema.profile, to: schema, overwriting: false)
        }
    }
}
