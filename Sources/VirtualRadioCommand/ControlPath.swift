import Glibc

/// Where the control socket is. As for dittojay's: `$XDG_RUNTIME_DIR`, `/run/user/UID`, or a folder of this user in
/// /tmp. (`UserFolders` has the same for programs that can do with Foundation.)
enum ControlPath {
    static let variable = "VIRTUAL_RADIO_SOCKET"

    static var usual: String {
        if let path = environment(variable) { return path }
        let user = geteuid()
        for folder in [environment("XDG_RUNTIME_DIR") ?? "", "/run/user/\(user)"] where isPrivate(folder) {
            return folder + "/virtual-radio.sock"
        }
        return "/tmp/virtual-radio-\(user)/virtual-radio.sock"
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Makes the folder in /tmp, if the path is in it. Anybody could have made one of that name.
    static func prepare(_ path: String) throws(SystemError) {
        let folder = "/tmp/virtual-radio-\(geteuid())"
        guard path.hasPrefix(folder + "/") else { return }
        _ = mkdir(folder, 0o700)
        guard isPrivate(folder) else { throw SystemError(text: "\(folder) is not private to this user") }
    }

    /// Whether the folder, not a link to one, belongs to this user and others cannot write to it.
    private static func isPrivate(_ path: String) -> Bool {
        var info = stat()
        guard !path.isEmpty, lstat(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid() && info.st_mode & 0o022 == 0
    }

    /// A file's path from the root on, as the radio may run in another folder.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Calls `body` with a socket's address.
    static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            throw SystemError(text: "invalid socket path \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }
}
