import Foundation

/// Starts programs that are independent of the one that starts them.
package enum AppLauncher {
    /// Why a program could not be started.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// Starts `command` as a session of its own, with standard input from /dev/null, and standard output and standard
    /// error where `output` says, or where those of this program go.
    ///
    /// - Parameters:
    ///   - command: the program, looked up on the PATH of this process unless it is a path, and its arguments.
    ///   - folder: to start in; this process's own where it does not exist any more.
    /// - Returns: the number of the process.
    package static func start(
        _ command: [String], in folder: String? = nil, environment: [String: String], output: String? = nil
    ) throws(Failure) -> Int32 {
        guard let program = command.first else { throw Failure(description: "there is no command") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        if let folder, access(folder, X_OK) == 0 { _ = Self.addChangeOfFolder?(&actions, folder) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Dispatch block nearly all signals, and a child inherits that, and what is ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Self.newSession
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        var process: pid_t = 0
        let status = withCStrings(command) { arguments in
            withCStrings(environment.map { "\($0)=\($1)" }) { variables in
                posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(status)))") }
        return process
    }

    /// POSIX_SPAWN_SETSID, which is declared only for programs that ask for GNU's additions.
    private static let newSession: Int32 = 0x80

    private typealias AddChangeOfFolder =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

    /// `posix_spawn_file_actions_addchdir_np`, which has been in glibc since 2.29, and in Swift's module for it not
    /// yet.
    private static let addChangeOfFolder: AddChangeOfFolder? = {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return nil }
        return unsafeBitCast(symbol, to: AddChangeOfFolder.self)
    }()

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            // An array with at least the final nil has an address.
            buffer.baseAddress.map { body($0) }.unsafelyUnwrapped
        }
    }
}
