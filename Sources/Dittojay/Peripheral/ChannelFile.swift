import Foundation
import Glibc
import Posix

/// Why an L2CAP channel cannot send a file.
enum ChannelFileError: Error, Hashable, CustomStringConvertible, LocalizedError {
    case unreadable(path: String, errno: Int32)
    case notRegular(path: String)
    case outside(path: String, folder: String)

    var description: String {
        switch self {
        case .unreadable(let path, let code): "\(path) cannot be read: \(SystemError.reason(code))"
        case .notRegular(let path): "\(path) is not a regular file"
        case .outside(let path, let folder):
            "\(path) is outside the profile's folder (\(folder)); use --allow-files to let a profile send any file"
        }
    }

    var errorDescription: String? { description }
}

/// The file that an L2CAP channel sends. Reading it never waits: a pipe, a device or a socket is none.
final class ChannelFile {
    private let descriptor: Int32

    /// - Parameter folder: that it has to be in, or below, links resolved; nil: any.
    init(_ path: String, within folder: String?) throws(ChannelFileError) {
        // Opening a pipe would wait for a program that writes, and opening a device can do something.
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard Self.isRegular(status) else { throw .notRegular(path: path) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
        do throws(ChannelFileError) {
            try Self.check(descriptor, path, within: folder)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func check(_ descriptor: Int32, _ path: String, within folder: String?) throws(ChannelFileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard isRegular(status) else { throw .notRegular(path: path) }
        guard let folder else { return }
        // What is open, whatever the path means by now.
        guard let actual = resolved("/proc/self/fd/\(descriptor)"), let allowed = resolved(folder) else {
            throw .unreadable(path: path, errno: errno)
        }
        guard allowed == "/" || actual.hasPrefix(allowed + "/") else { throw .outside(path: path, folder: allowed) }
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// The next bytes; none at the end, or if there is a failure.
    func read(upToCount count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var result: Int
            repeat {
                result = Glibc.read(descriptor, buffer.baseAddress, count)
            } while result < 0 && errno == EINTR
            initializedCount = max(0, result)
        }
    }
}
