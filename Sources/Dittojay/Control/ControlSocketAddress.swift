import Foundation

/// Where a running dittojay listens for commands: a Unix socket that only its user can reach.
public struct ControlSocketAddress: Hashable, Swift.Sendable {
    public let path: String
    /// Whether the folder is this program's own, to be made if it is missing.
    let ownsFolder: Bool

    /// - Parameters:
    ///   - path: given by the user; otherwise `DITTOJAY_SOCKET` of the environment, otherwise `dittojay.sock` in the
    ///     user's runtime folder: `XDG_RUNTIME_DIR`, `/run/user/UID`, or `/tmp/dittojay-UID` where there is none.
    ///   - environment: of the process.
    public init(path: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let path = path ?? environment["DITTOJAY_SOCKET"], !path.isEmpty {
            self.path = path
            ownsFolder = false
            return
        }
        let user = geteuid()
        let folders = [environment["XDG_RUNTIME_DIR"] ?? "", "/run/user/\(user)"]
        if let folder = folders.first(where: { !$0.isEmpty && Self.isPrivateFolder($0) }) {
            self.path = folder + "/dittojay.sock"
            ownsFolder = false
        } else {
            self.path = "/tmp/dittojay-\(user)/dittojay.sock"
            ownsFolder = true
        }
    }

    /// The folder that the socket is in.
    var folder: String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes the own folder in /tmp. Anybody could have made one of that name: it must be this user's and nobody else's.
    ///
    /// - Throws: ``DittojayError/controlSocket(_:)``.
    func prepareFolder() throws(DittojayError) {
        guard ownsFolder else { return }
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .controlSocket("cannot make the folder \(folder): \(systemError())")
        }
        guard Self.isPrivateFolder(folder) else {
            throw .controlSocket("the folder \(folder) is not this user's alone; set DITTOJAY_SOCKET to another place")
        }
    }

    /// Whether the folder, not a link to one, belongs to this user and others cannot write to it.
    private static func isPrivateFolder(_ path: String) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid() && info.st_mode & 0o022 == 0
    }

    /// Calls `body` with the path as the system's calls take it.
    ///
    /// - Throws: ``DittojayError/controlSocket(_:)`` if the path is longer than a socket's can be.
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(DittojayError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity, !bytes.contains(0) else {
            throw .controlSocket("the socket's path \(path) is longer than the \(capacity - 1) bytes that are possible")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The system's words for the error of the last call.
func systemError() -> String {
    String(cString: strerror(errno))
}

/// Makes a stream socket of the Unix kind that is closed on exec.
func makeUnixSocket() throws(DittojayError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .controlSocket("no socket can be made: \(systemError())") }
    return descriptor
}
