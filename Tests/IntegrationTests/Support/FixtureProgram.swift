import BluetoothLab
import Foundation
import TestSupport
import Testing

/// A program of the package in Fixtures, which `./lab test` builds.
enum FixtureProgram {
    /// The language modes whose programs are run. All are built in both.
    static let languageModes = isThorough ? [5, 6] : [6]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Fixtures").standardized

    /// The path of a file in Fixtures.
    static func file(_ path: String) -> String { folder.appendingPathComponent(path).path }

    /// Starts a program on a controller. What it prints comes line by line.
    static func start(
        _ name: String, _ arguments: [String] = [], languageMode: Int, adapter: String,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let path = file(".build/debug/\(name)-swift\(languageMode)")
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw LabError("\(path) is missing; swift build --package-path Fixtures builds it")
        }
        // The programs print as any program does; into a pipe that would come when they end.
        return try ChildProcess(
            "stdbuf", ["--output=L", path] + arguments,
            environment: environment.merging(["BLUETOOTH_ADAPTER": adapter]) { $1 })
    }
}

/// Checks that a program has printed lines with these beginnings in this order, whatever is between them.
func expect(
    _ program: ChildProcess, _ beginnings: [String], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var rest = program.lines[...]
    for beginning in beginnings {
        let index = try #require(
            rest.firstIndex { $0.hasPrefix(beginning) }, "\(beginning) in its place: \(program.transcript)",
            sourceLocation: sourceLocation)
        rest = rest[rest.index(after: index)...]
    }
}
