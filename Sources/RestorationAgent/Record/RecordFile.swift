import Foundation

/// The record on disk. It is replaced as a whole: who is interrupted while writing leaves the former one.
package struct RecordFile: Sendable {
    package let path: String

    /// What has gone wrong.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// - Parameter folder: which exists.
    package init(folder: String) {
        path = folder + "/restoration.json"
    }

    /// The record; an empty one where there is no file.
    ///
    /// A file that cannot be read as a record is put aside as `restoration.json.damaged`.
    package func load() throws(Failure) -> RestorationRecord {
        guard FileManager.default.fileExists(atPath: path) else { return RestorationRecord() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(description: "cannot read \(path)")
        }
        if let record = try? JSONDecoder().decode(RestorationRecord.self, from: data), record.version == 1 {
            return record
        }
        guard rename(path, path + ".damaged") == 0 else {
            throw Failure(description: "\(path) is damaged and cannot be put aside: \(Self.systemError())")
        }
        return RestorationRecord()
    }

    /// Replaces the record. When it returns, the new one is on the disk.
    package func save(_ record: RestorationRecord) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else { throw Failure(description: "cannot encode the record") }
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "cannot write \(draft): \(Self.systemError())") }
        let isWritten = Self.write(data, to: descriptor) && fsync(descriptor) == 0
        let error = Self.systemError()
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw Failure(description: "cannot write \(draft): \(error)")
        }
        guard rename(draft, path) == 0 else {
            throw Failure(description: "cannot replace \(path): \(Self.systemError())")
        }
        // The new name, too, has to reach the disk.
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func write(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }
}
