public import Foundation
import UserFolders

/// Where a running dittojay listens for commands: a Unix socket that only its user can reach.
public struct ControlSocketAddress: Hashable, Swift.Sendable {
    public let path: String
    /// The folder of the socket, unless the user has given the path.
    private let runtimeFolder: RuntimeFolder?

    /// - Parameters:
    ///   - path: default: `DITTOJAY_SOCKET` of the environment, or else `dittojay.sock` in `XDG_RUNTIME_DIR`, in
    ///     `/run/user/UID`, or, where neither exists, in `/tmp/dittojay-UID`.
    ///   - environment: of the process.
    public init(path: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let path = path ?? environment["DITTOJAY_SOCKET"], !path.isEmpty {
            self.path = path
            runtimeFolder = nil
        } else {
            let folder = RuntimeFolder(program: "dittojay", environment: environment)
            self.path = folder.path + "/dittojay.sock"
            runtimeFolder = folder
        }
    }

    /// The folder that the socket is in.
    var folder: String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes the folder, unless the user has given the path.
    ///
    /// - Throws: ``DittojayError/controlSocket(_:)``.
    func prepareFolder() throws(DittojayError) {
        do {
            try runtimeFolder?.prepare()
        } catch {
            throw .controlSocket(error.description)
        }
    }

    /// Calls `body` with the path as `bind` and `connect` take it.
    ///
    /// - Throws: ``DittojayError/controlSocket(_:)`` if the path is longer than a socket's can be.
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(DittojayError) -> Result {
        do {
            return try withUnixSocketAddress(of: path, body)
        } catch {
            throw .controlSocket(error.description)
        }
    }
}

/// The system's description of the last call's error.
func systemError() -> String {
    String(cString: strerror(errno))
}

/// Makes a stream socket of the Unix kind that is closed on exec.
func makeUnixSocket() throws(DittojayError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .controlSocket("cannot create a socket: \(systemError())") }
    return descriptor
}
