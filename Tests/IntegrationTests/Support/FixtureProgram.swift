import BluetoothLab
import Foundation
import TestSupport
import Testing

/// A program of the package in Fixtures, which `./lab test` builds.
enum FixtureProgram {
    /// The language modes whose programs are run. All are built in both.
    static let languageModes = isThorough ? [5, 6] : [6]

    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardized

    /// Where the lab builds the packages of this repository.
    static let products = repository.appendingPathComponent(".build-lab/debug").path

    /// The path of a program that the lab builds.
    static func product(_ name: String) throws -> String {
        let path = "\(products)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw LabError("\(path) is missing; ./lab test builds it")
        }
        return path
    }

    /// The path of a file in Fixtures.
    static func file(_ path: String) -> String { repository.appendingPathComponent("Fixtures/\(path)").path }

    /// Starts a program on a controller.
    ///
    /// - Parameter isLineBuffered: whether what it prints comes line by line, as on a terminal. Otherwise that is up to
    ///   the program: what `print` has comes when there is much of it, or at the end.
    static func start(
        _ name: String, _ arguments: [String] = [], languageMode: Int, adapter: String,
        environment: [String: String] = [:], isLineBuffered: Bool = true
    ) throws -> ChildProcess {
        let path = try product("\(name)-swift\(languageMode)")
        let command = (isLineBuffered ? ["stdbuf", "--output=L"] : []) + [path] + arguments
        return try ChildProcess(
            command[0], Array(command.dropFirst()),
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
