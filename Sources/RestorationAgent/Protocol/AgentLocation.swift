import Foundation

/// Where the agent of a user listens and keeps its record.
package struct AgentLocation: Hashable, Sendable {
    /// The path of the socket.
    package let socket: String
    /// The folder of the record and of the log.
    package let stateFolder: String
    /// Whether the socket's folder is the agent's own, to be made if it is missing.
    private let makesSocketFolder: Bool

    /// What has gone wrong with the places.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// The socket: `BLUEJAY_AGENT_SOCKET`, otherwise `bluejay-agent.sock` in `XDG_RUNTIME_DIR` or `/run/user/UID`,
    /// otherwise `/tmp/bluejay-UID/agent.sock`. The state: `BLUEJAY_STATE_DIRECTORY`, otherwise `bluejay` in
    /// `XDG_STATE_HOME` or `~/.local/state`.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let user = geteuid()
        let runtimeFolders = [environment["XDG_RUNTIME_DIR"] ?? "", "/run/user/\(user)"]
        if let path = environment["BLUEJAY_AGENT_SOCKET"], !path.isEmpty {
            socket = path
            makesSocketFolder = false
        } else if let folder = runtimeFolders.first(where: { !$0.isEmpty && Self.isPrivate($0) }) {
            socket = folder + "/bluejay-agent.sock"
            makesSocketFolder = false
        } else {
            socket = "/tmp/bluejay-\(user)/agent.sock"
            makesSocketFolder = true
        }
        if let path = environment["BLUEJAY_STATE_DIRECTORY"], !path.isEmpty {
            stateFolder = path
        } else if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") {
            stateFolder = path + "/bluejay"
        } else {
            stateFolder = (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/bluejay"
        }
    }

    /// Makes the folders. Only the agent does.
    package func prepare() throws(Failure) {
        if makesSocketFolder {
            let folder = (socket as NSString).deletingLastPathComponent
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Failure(description: "cannot make \(folder)") }
            // Anybody could have made a folder of that name in /tmp.
            guard Self.isPrivate(folder) else {
                throw Failure(description: "\(folder) is not this user's alone; set XDG_RUNTIME_DIR to one that is")
            }
        }
        do {
            try FileManager.default.createDirectory(
                atPath: stateFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(description: "cannot make the folder \(stateFolder): \(error)")
        }
    }

    /// Calls `body` with the socket's path as the system's calls take it.
    package func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(Failure) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(socket.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity, !bytes.contains(0) else {
            throw Failure(description: "\(socket) is longer than the \(capacity - 1) bytes of a socket's path")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// A socket of the agent's kind: closed on exec, never waiting.
    package static func makeSocket() -> Int32 {
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return Glibc.socket(AF_UNIX, kind, 0)
    }

    /// Whether the folder, not a link to one, belongs to this user and others cannot write to it.
    private static func isPrivate(_ path: String) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid() && info.st_mode & 0o022 == 0
    }
}
