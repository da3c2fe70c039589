package import Foundation
import UserFolders

/// Where the agent of a user listens and keeps its record.
package struct AgentLocation: Hashable, Sendable {
    /// The path of the socket.
    package let socket: String
    /// The folder of the record and of the log.
    package let stateFolder: String
    /// The folder of a socket whose place was not given by the user.
    private let runtimeFolder: RuntimeFolder?

    /// Why a place cannot be used.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// The socket: `BLUEJAY_AGENT_SOCKET`, otherwise `bluejay-agent.sock` in the ``RuntimeFolder``. The state:
    /// `BLUEJAY_STATE_DIRECTORY`, otherwise the ``StateFolder``.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let path = environment["BLUEJAY_AGENT_SOCKET"], !path.isEmpty {
            socket = path
            runtimeFolder = nil
        } else {
            let folder = RuntimeFolder(program: "bluejay", environment: environment)
            socket = folder.path + "/bluejay-agent.sock"
            runtimeFolder = folder
        }
        if let path = environment["BLUEJAY_STATE_DIRECTORY"], !path.isEmpty {
            stateFolder = path
        } else {
            stateFolder = StateFolder.path(environment: environment)
        }
    }

    /// Makes the folders. Only the agent does.
    package func prepare() throws(Failure) {
        do {
            try runtimeFolder?.prepare()
        } catch {
            throw Failure(description: error.description)
        }
        try prepareStateFolder()
    }

    /// Makes the folder of the record and of the log.
    package func prepareStateFolder() throws(Failure) {
        do {
            try StateFolder.make(stateFolder)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// Calls `body` with the socket's path as the system's calls take it.
    package func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(Failure) -> Result {
        do {
            return try withUnixSocketAddress(of: socket, body)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// A socket of the agent's kind: closed on exec, never waiting.
    package static func makeSocket() -> Int32 {
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return Glibc.socket(AF_UNIX, kind, 0)
    }
}
