public import Foundation
import Posix

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
}
