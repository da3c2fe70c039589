import Foundation
import GATTProfiles
import PlainText
import YAMLText

/// Reads profiles from YAML files (JSON is a subset of YAML). `docs/profiles.md` describes the format.
public enum ProfileFile {
    /// The content of a file.
    public struct Content<Value: Hashable & Swift.Sendable>: Hashable, Swift.Sendable {
        public var value: Value
        /// What is allowed, but does not do what it seems to do.
        public var warnings: [ProfileFileError]
    }

    /// Reads a profile.
    ///
    /// - Parameter allowsOtherFolders: whether its channels may send files from outside of its folder.
    /// - Throws: ``ProfileFileError`` for the first mistake, with all others in it.
    public static func read(
        path: String, allowsOtherFolders: Bool = false
    ) throws(ProfileFileError) -> Content<PeripheralProfile> {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return try parse(
            contents(of: path), file: path, defaultName: name, allowsOtherFolders: allowsOtherFolders)
    }

    /// Reads a profile from a text.
    ///
    /// - Parameters:
    ///   - file: names the text in errors.
    ///   - defaultName: the profile's name if the text does not give it one.
    ///   - allowsOtherFolders: whether its channels may send files from outside of its folder.
    public static func parse(
        _ text: String, file: String, defaultName: String = "profile", allowsOtherFolders: Bool = false
    ) throws(ProfileFileError) -> Content<PeripheralProfile> {
        try read(text, file: file) { root throws(FileMistake) in
            try ProfileReader.profile(root, defaultName: defaultName, allowsOtherFolders: allowsOtherFolders)
        }
    }

    /// Reads the scenario for a profile: a list of steps, or a mapping with such a list as `scenario`.
    public static func readScenario(
        path: String, for profile: PeripheralProfile
    ) throws(ProfileFileError) -> Content<[ScenarioStep]> {
        try parseScenario(contents(of: path), file: path, for: profile)
    }

    /// Reads a scenario from a text.
    public static func parseScenario(
        _ text: String, file: String, for profile: PeripheralProfile
    ) throws(ProfileFileError) -> Content<[ScenarioStep]> {
        try read(text, file: file) { root throws(FileMistake) in
            let node =
                root.isMapping
                ? try root.mapping(of: "a scenario", keys: ProfileKeys.scenario).required("scenario") : root
            let steps = try StepReader(AttributeIndex(profile), service: nil).steps(node)
            guard root.context.mistakes.isEmpty else { throw root.consequence() }
            try CrossChecks(profile, drafts: []).checkScenario(steps, node)
            return steps
        }
    }

    private static func contents(of path: String) throws(ProfileFileError) -> String {
        do throws(FileMistake) {
            return try YAMLText.contents(of: path)
        } catch {
            throw ProfileFileError(error, file: path)
        }
    }

    private static func read<Value>(
        _ text: String, file: String, _ body: (FileNode) throws(FileMistake) -> Value
    ) throws(ProfileFileError) -> Content<Value> {
        let context = FileContext(file: file)
        do throws(FileMistakes) {
            let value = try context.whole { () throws(FileMistake) in
                try body(FileNode(YAMLText.root(of: text), context: context))
            }
            return Content(value: value, warnings: context.warnings.map { ProfileFileError($0, file: file) })
        } catch {
            var first = ProfileFileError(error.first, file: file)
            first.others = error.others.map { ProfileFileError($0, file: file) }
            throw first
        }
    }
}
