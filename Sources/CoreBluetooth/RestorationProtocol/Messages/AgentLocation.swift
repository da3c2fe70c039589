import Foundation
package import Posix

/// Where the agent of a user listens and keeps its record.
package struct AgentLocation: Hashable, Sendable {
    /// The path of the socket.
    package let socket: String
    /// The folder of the record and of the log.
    package let stateFolder: String
    /// The folder of a socket whose place was not given by the user.
    private let runtimeFolder: RuntimeFolder?

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
    package func prepare() throws(SystemError) {
        try runtimeFolder?.prepare()
        try prepareStateFolder()
    }

    /// Makes the folder of the record and of the log.
    package func prepareStateFolder() throws(SystemError) {
        try StateFolder.make(stateFolder)
    }

    /// Sockets of the agent pass on whole messages.
    package static let socketKind = SOCK_SEQPACKET

    /// A socket that is connected to the agent, and does not block.
    ///
    /// - Throws: ``SystemError`` with the code `EAGAIN` if too many programs wait already.
    package func connected() throws(SystemError) -> Int32 {
        try UnixSocket.connected(to: socket, Self.socketKind, blocks: false)
    }
}
