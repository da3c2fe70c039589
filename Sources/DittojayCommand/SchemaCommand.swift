import ArgumentParser
import Dittojay
import LineOutput

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of profile files, for editors.",
        discussion: """
            An editor with a YAML language server completes keys and names, and marks mistakes, in a file that begins with

              # yaml-language-server: $schema=PATH

            where PATH leads from the file to the schema. dittojay init writes both.
            """)

    @Flag(help: "Print the schema of scenarios in files of their own.")
    var scenario = false

    func run() throws {
        try StandardOutput.write(verbatim: scenario ? ProfileSchema.scenario : ProfileSchema.profile)
    }
}
