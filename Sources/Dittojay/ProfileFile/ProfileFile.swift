import Foundation
import GATTProfiles
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
        let (root, context) = try root(of: text, file: file, allowsOtherFolders: allowsOtherFolders)
        let profile = context.attempt(try ProfileReader.profile(root, defaultName: defaultName))
        try context.finish()
        guard let profile else { throw root.fail(expecting: "a profile") }
        return Content(value: profile, warnings: context.warnings)
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
        let (root, context) = try root(of: text, file: file)
        let steps = context.attempt(
            root.isMapping ? try root.mapping(of: "a scenario", keys: ProfileKeys.scenario).required("scenario") : root)
        let reader = StepReader(AttributeIndex(profile), service: nil)
        let value = context.attempt(try steps.map { node throws(ProfileFileError) in try reader.steps(node) })
        try context.finish()
        guard let steps, let value else { throw root.fail(expecting: "a scenario") }
        try CrossChecks(profile, drafts: []).checkScenario(value, steps)
        try context.finish()
        return Content(value: value, warnings: context.warnings)
    }

    private static func contents(of path: String) throws(ProfileFileError) -> String {
        do throws(YAMLText.Mistake) {
            return try YAMLText.contents(of: path)
        } catch {
            throw ProfileFileError(error, file: path)
        }
    }

    private static func root(
        of text: String, file: String, allowsOtherFolders: Bool = false
    ) throws(ProfileFileError) -> (FileNode, FileContext) {
        do throws(YAMLText.Mistake) {
            let context = FileContext(file: file, allowsOtherFolders: allowsOtherFolders)
            return (FileNode(node: try YAMLText.root(of: text), path: "", context: context), context)
        } catch {
            throw ProfileFileError(error, file: file)
        }
    }
}

extension ProfileFileError {
    fileprivate init(_ mistake: YAMLText.Mistake, file: String) {
        self.init(file: file, line: mistake.line, column: mistake.column, keyPath: "", message: mistake.message)
    }
}
