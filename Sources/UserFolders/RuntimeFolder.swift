import Foundation

/// The user's folder for what lasts no longer than the machine runs: sockets, and what has to be put back.
package struct RuntimeFolder: Hashable, Sendable {
    package let path: String
    /// Whether the folder is the program's own, to be made if it is missing.
    private let isOwn: Bool

    /// The folder is not to be trusted, or cannot be made.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// `XDG_RUNTIME_DIR`, `/run/user/UID`, or `/tmp/PROGRAM-UID` where there is none.
    package init(program: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let user = geteuid()
        let folders = [environment["XDG_RUNTIME_DIR"] ?? "", "/run/user/\(user)"]
        if let folder = folders.first(where: { !$0.isEmpty && Self.isPrivate($0) }) {
            path = folder
            isOwn = false
        } else {
            path = "/tmp/\(program)-\(user)"
            isOwn = true
        }
    }

    /// Makes the own folder in /tmp. Anybody could have made one of that name: it must be this user's and nobody
    /// else's.
    package func prepare() throws(Failure) {
        guard isOwn else { return }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw Failure(description: "cannot create the folder \(path): \(String(cString: strerror(errno)))")
        }
        guard Self.isPrivate(path) else {
            throw Failure(
                description: "the folder \(path) is not private to this user; set XDG_RUNTIME_DIR to one that is")
        }
    }

    /// Whether the folder, not a link to one, belongs to this user and others cannot write to it.
    private static func isPrivate(_ path: String) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid() && info.st_mode & 0o022 == 0
    }
}
