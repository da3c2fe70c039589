import ArgumentParser
import Dittojay
import Foundation
import LineOutput

/// Finds the profile that a user asks for, and ends the program with one message if that fails.
enum ProfileArgument {
    /// Wrong usage, as ArgumentParser has it.
    private static let wrongUsage = ExitCode.validationFailure

    /// A built-in profile by its name, or one from a file; with its warnings.
    ///
    /// - Parameter allowsFiles: whether its channels may send files from outside of its folder.
    static func profile(_ text: String, allowsFiles: Bool = false) throws -> PeripheralProfile {
        if let known = PeripheralProfile.builtIn(named: text) { return known }
        if !text.contains("/"), !text.contains("."), !FileManager.default.fileExists(atPath: text) {
            let names = PeripheralProfile.builtIn.map(\.name).joined(separator: ", ")
            StandardError.write("dittojay: unknown profile \"\(text)\"; built-in: \(names); or give a file")
            throw wrongUsage
        }
        return try report { () throws(ProfileFileError) in
            try ProfileFile.read(path: text, allowsOtherFolders: allowsFiles)
        }
    }

    /// The scenario for a profile from a file.
    static func scenario(_ path: String, for profile: PeripheralProfile) throws -> [ScenarioStep] {
        try report { () throws(ProfileFileError) in try ProfileFile.readScenario(path: path, for: profile) }
    }

    private static func report<Value>(
        _ read: () throws(ProfileFileError) -> ProfileFile.Content<Value>
    ) throws -> Value {
        do throws(ProfileFileError) {
            let content = try read()
            for warning in content.warnings { StandardError.write("dittojay: warning: \(warning)") }
            return content.value
        } catch {
            let mistakes = error.all
            for mistake in mistakes { StandardError.write("dittojay: \(mistake)") }
            if mistakes.count > 1 { StandardError.write("dittojay: \(mistakes.count) mistakes") }
            throw wrongUsage
        }
    }
}

/// What a profile may do with files.
struct FileOptions: ParsableArguments {
    @Flag(help: "Allow a profile's L2CAP channels to send files outside its folder.")
    var allowFiles = false
}

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a profile file and show what it publishes.")

    @Argument(help: "The file, or the name of a built-in profile.")
    var profile: String

    @Option(help: ArgumentHelp("Also check this scenario with it.", valueName: "file"))
    var scenario: String?

    @OptionGroup var fileOptions: FileOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        var profile = try ProfileArgument.profile(profile, allowsFiles: fileOptions.allowFiles)
        if let scenario { profile.scenario = try ProfileArgument.scenario(scenario, for: profile) }
        if json { try StandardOutput.write(profile.json) } else { try StandardOutput.write(profile.summary) }
    }
}
