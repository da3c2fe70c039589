import Foundation
package import Posix

/// The record on disk. It is replaced as a whole: a program that is interrupted while it writes leaves the former one.
package struct RecordFile: Sendable {
    package let path: String

    /// - Parameter folder: which exists.
    package init(folder: String) {
        path = folder + "/restoration.json"
    }

    /// The record; an empty one if the file does not exist.
    ///
    /// What cannot be read as a record is put aside as `restoration.json.damaged`: something else than a file of this
    /// user, a link included, a file above ``AgentLimits/recordLength``, or one of another content.
    ///
    /// - Parameter log: called with what was wrong.
    package func load(log: (String) -> Void = { _ in }) throws(SystemError) -> RestorationRecord {
        let problem: String
        switch contents() {
        case .absent: return RestorationRecord()
        case .failed(let error): throw error
        case .unfit(let text): problem = text
        case .data(let data):
            if let record = MessageCoder.decode(RestorationRecord.self, from: data), record.version == 1 {
                return record
            }
            problem = "has an unsupported format version"
        }
        guard rename(path, path + ".damaged") == 0 else {
            throw SystemError("\(path) \(problem) and cannot be moved aside")
        }
        log("\(path) \(problem): moved to \(path).damaged, and nothing is restored")
        return RestorationRecord()
    }

    private enum Contents {
        case absent
        case failed(SystemError)
        case unfit(String)
        case data(Data)
    }

    private var unreadable: Contents { .failed(SystemError("cannot read \(path)")) }

    private func contents() -> Contents {
        // Without O_NONBLOCK a pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return .absent
            case ELOOP: return .unfit("is a symbolic link")
            case ENXIO: return .unfit("is not a regular file")
            default: return unreadable
            }
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return unreadable }
        guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
            return .unfit("is not owned by this user")
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= AgentLimits.recordLength {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return unreadable }
            guard count > 0 else { return .data(data) }
            data.append(contentsOf: buffer[..<count])
        }
        return .unfit("is too long (limit \(AgentLimits.recordLength) bytes)")
    }

    /// Replaces the record. When it returns, the new one is on the disk.
    package func save(_ record: RestorationRecord) throws(SystemError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else { throw SystemError(text: "cannot encode the record") }
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError("cannot write \(draft)") }
        let isWritten = Self.write(data, to: descriptor) && fsync(descriptor) == 0
        let error = SystemError("cannot write \(draft)")
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else { throw SystemError("cannot replace \(path)") }
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
}
