import ArgumentParser
import Dittojay
import LineOutput

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of profile files, for editors.",
        discussion: """
            An editor with a YAML language server completes keys and names and marks mistakes in a file that starts with

              # yaml-language-server: $schema=PATH

            where PATH is the schema's path relative to the file. dittojay init writes both.
            """)

    @Flag(help: "Print the schema of scenario files.")
    var scenario = false

    func run() throws {
        try StandardOutput.write(verbatim: scenario ? ProfileSchema.scenario : ProfileSchema.profile)
    }
}
