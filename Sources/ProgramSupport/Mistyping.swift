package import ArgumentParser
import LineOutput

/// A word that is not a command, where a command is expected.
package struct Mistyping: Error, CustomStringConvertible, Hashable {
    package let description: String

    /// Looks for such a word.
    ///
    /// The argument parser takes it for an argument; if there is a default command, for one of that command's.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - program: the command that is the whole program.
    package static func check(
        _ arguments: some Sequence<String>, of program: any ParsableCommand.Type
    ) throws(Mistyping) {
        var command: any ParsableCommand.Type = program
        var path = program._commandName
        for word in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let next = commands.first(where: { $0.names.contains(word) }) else {
                let suggestion = Suggestion.text(for: word, among: commands.flatMap { $0.names })
                throw Mistyping(
                    description: "\(path): unknown command \"\(word)\"\(suggestion); \(path) --help lists the commands")
            }
            command = next
            path += " " + word
        }
    }
}

extension ParsableCommand {
    /// The names by which it can be called.
    fileprivate static var names: [String] { [_commandName] + configuration.aliases }
}

extension ProgramEnd {
    /// Ends the program because of a mistyped command, as for any wrong usage.
    package static func exit(_ error: Mistyping) -> Never {
        StandardError.write(error.description)
        exit("", status: ExitCode.validationFailure.rawValue, message: "")
    }
}
