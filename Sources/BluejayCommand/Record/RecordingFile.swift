import Foundation
import GATTProfiles
import PlainText
import Posix

/// A profile file that grows by each value that is recorded. After each it is complete.
final class RecordingFile {
    let path: String
    private let handle: FileHandle
    /// How long the file is, in bytes.
    private var length: UInt64 = 0
    private(set) var count = 0

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - overwrites: whether what there is is lost; otherwise the file must not exist.
    ///   - begin: the lines in front of the recording.
    init(_ path: String, overwrites: Bool, begin: [String]) throws(CommandError) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrites ? O_TRUNC : O_EXCL), 0o666)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try write(begin.joined(separator: "\n") + "\n")
    }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - seconds: since the recording began.
    ///   - reference: the name of the characteristic in this file.
    func append(_ value: Data, at seconds: Double, of reference: String) throws(CommandError) {
        // Without bytes its colon would make YAML's scalar a key.
        let bytes = value.isEmpty ? "empty" : "hex:" + ValueText.hex(value)
        let line = "    - \(fixedPoint(seconds, places: 3)) s \(reference) \(bytes)\n"
        guard count < RecordingLimits.maximumValues, length + UInt64(line.utf8.count) < RecordingLimits.longestFile,
            seconds <= RecordingLimits.longest
        else {
            throw CommandError(.failed, "\(path) is full: dittojay does not read a longer recording")
        }
        try write((count == 0 ? "recording:\n  values:\n" : "") + line)
        count += 1
    }

    private func write(_ text: String) throws(CommandError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(handle.fileDescriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else {
                let failure = Self.failure(path, errno)
                // Half a line would be a mistake in the file.
                try? handle.truncate(atOffset: length)
                throw failure
            }
            bytes = bytes.dropFirst(written)
        }
        length += UInt64(text.utf8.count)
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandError {
        CommandError(.failed, "cannot write \(path): \(SystemError.reason(code))")
    }
}
