import Foundation
import GATTProfiles
import Yams

/// Reads profiles from YAML files (JSON is a subset of YAML). `docs/profiles.md` describes the format.
public enum ProfileFile {
    /// The content of a file.
    public struct Content<Value: Hashable & Swift.Sendable>: Hashable, Swift.Sendable {
        public var value: Value
        /// What is allowed, but does not do what it seems to do.
        public var warnings: [ProfileFileError]
    }

    /// The largest file that is read, in bytes.
    package static let maximumLength = 1 << 20

    /// Reads a profile.
    ///
    /// - Throws: ``ProfileFileError`` for the first mistake, with all others in it.
    public static func read(path: String) throws(ProfileFileError) -> Content<PeripheralProfile> {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return try parse(contents(of: path), file: path, defaultName: name)
    }

    /// Reads a profile from a text.
    ///
    /// - Parameters:
    ///   - file: names the text in errors.
    ///   - defaultName: the profile's name if the text does not give it one.
    public static func parse(
        _ text: String, file: String, defaultName: String = "profile"
    ) throws(ProfileFileError) -> Content<PeripheralProfile> {
        let (root, context) = try root(of: text, file: file)
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
        func fail(_ message: String) -> ProfileFileError { ProfileFileError(file: path, keyPath: "", message: message) }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw fail("cannot be read: \(systemError())") }
        let data: Data?
        do {
            data = try handle.read(upToCount: maximumLength + 1)
        } catch {
            throw fail("cannot be read: \(error.localizedDescription)")
        }
        guard let data, data.count <= maximumLength else {
            throw fail(data == nil ? "the file is empty" : "the file is longer than \(maximumLength) bytes")
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw fail("the file is not UTF-8 text") }
        return text
    }

    private static func root(of text: String, file: String) throws(ProfileFileError) -> (FileNode, FileContext) {
        func fail(_ message: String, _ mark: Mark? = nil) -> ProfileFileError {
            ProfileFileError(file: file, line: mark?.line, column: mark?.column, keyPath: "", message: message)
        }
        guard !text.utf8.contains(0) else { throw fail("the file has a zero byte in it, which is no text") }
        do throws(YAMLBounds.Violation) {
            try YAMLBounds.check(text)
        } catch {
            throw ProfileFileError(
                file: file, line: error.place?.line, column: error.place?.column, keyPath: "", message: error.message)
        }
        let node: Yams.Node?
        do {
            // The readers decide what a scalar means. The resolver's default rules would try regular expressions on
            // each.
            node = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _)
        {
            let place = context.map { $0.text.isEmpty ? "" : "\($0.text), " } ?? ""
            throw fail("this is no YAML: \(place)\(problem)", mark)
        } catch YamlError.duplicatedKeysInMapping(let duplicates, let context) {
            let keys = duplicates.sorted().prefix(3).map { "\"\(FileNode.shortened($0))\"" }.joined(separator: ", ")
            throw fail("the same key twice: \(keys)\(duplicates.count > 3 ? ", …" : "")", context.mark)
        } catch YamlError.reader(let problem, _, _, _) {
            throw fail("this is no YAML: \(problem)")
        } catch {
            throw fail("this is no YAML: \("\(error)".split(whereSeparator: \.isNewline).first ?? "")")
        }
        guard let node else { throw fail("the file is empty") }
        let context = FileContext(file: file)
        return (FileNode(node: node, path: "", context: context), context)
    }
}
