import ArgumentParser
import Foundation
import LineOutput

/// Writes files that a command makes.
enum NewFile {
    /// Writes a text, never over an existing file, even one that has appeared just now, unless that is asked for. Ends
    /// the command with a message if it cannot.
    static func write(_ text: String, to url: URL, overwriting: Bool) throws {
        do {
            try Data(text.utf8).write(to: url, options: overwriting ? [] : .withoutOverwriting)
        } catch {
            let code = (error as? CocoaError)?.code
            let reason =
                code == .fileWriteFileExists
                ? "already exists; use --force to overwrite it" : "cannot be written: \(error.localizedDescription)"
            StandardError.write("dittojay: \(url.relativePath) \(reason)")
            throw ExitCode.failure
        }
    }

    static func write(_ lines: [String], to path: String, overwriting: Bool) throws {
        try write(lines.joined(separator: "\n") + "\n", to: URL(fileURLWithPath: path), overwriting: overwriting)
    }
}
