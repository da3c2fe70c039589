import Glibc
import Posix
import RadioControl

/// A file that an air is recorded to, as lines of JSON.
final class RecordingFile: RecordingOutput {
    let path: String
    private let descriptor: Int32
    private var waiting: [UInt8] = []
    private var written = 0

    /// In bytes. What is beyond that is not recorded, as the lab's files are in its memory.
    private static let longest = 1 << 26
    private static let maximumWaiting = 1 << 15

    init(_ path: String) throws(SystemError) {
        self.path = path
        // A pipe that nobody reads would hold up the radio, now or when it is full.
        descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError("cannot write \(path)") }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, ftruncate(descriptor, 0) == 0 else {
            throw SystemError(text: "cannot write \(path): not a regular file")
        }
    }

    deinit {
        flush()
        close(descriptor)
    }

    func write(_ line: String) {
        guard written < Self.longest else { return }
        waiting += line.utf8
        waiting.append(0x0A)
        written += line.utf8.count + 1
        if waiting.count >= Self.maximumWaiting { flush() }
    }

    /// What a full disk does not take is lost.
    func flush() {
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
