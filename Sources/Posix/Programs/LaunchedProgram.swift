package import Glibc

/// A program that this one has started, with none of its descriptors but those that it was given, no signal blocked and
/// none ignored.
///
/// Foundation's `Process` (swift-corelibs-foundation of Swift 6.3) leaves each program a socket by which it notices the
/// end. Programs that other threads start at the same moment have that socket as well, and so have those that the
/// program leaves behind: the end is noticed, and the program reaped, only when all of them have ended.
package struct LaunchedProgram: Sendable {
    /// Where standard input, output or errors of a program come from or go to.
    package enum Stream {
        /// Where this program's go.
        case inherited
        /// /dev/null.
        case nothing
        /// The end of a file, which is made, readable for this user alone, if there is none.
        case endOfFile(String)
        /// A descriptor of this program.
        case descriptor(Int32)
        /// Where standard output goes.
        case output
    }

    /// What the program belongs to.
    package enum Group {
        /// A group of its own in this program's session: Ctrl-C in the terminal does not reach it.
        case own
        /// A session of its own, without a terminal.
        case session
        /// This program's.
        case parents
    }

    /// The number of the process.
    package let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked up on the PATH of this process unless it is a path, and its arguments.
    ///   - folder: to start in; this process's own where it no longer exists.
    ///   - environment: all of it; nil: this program's.
    package init(
        _ command: [String], in folder: String? = nil, environment: [String: String]? = nil, group: Group = .own,
        input: Stream = .nothing, output: Stream = .inherited, errors: Stream = .inherited
    ) throws(SystemError) {
        guard let program = command.first else { throw SystemError(text: "empty command") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, descriptor) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            stream.add(to: &actions, as: descriptor)
        }
        if let folder, access(folder, X_OK) == 0 { _ = Self.addChangeOfFolder?(&actions, folder) }
        _ = Self.addCloseFrom?(&actions, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Dispatch block nearly all signals, and a child inherits that, and what is ignored: SIGINT in what
        // a shell has started in the background.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | group.flag
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        var process: pid_t = 0
        let status = Self.withCStrings(command) { arguments in
            guard let environment else {
                return posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
            }
            return Self.withCStrings(environment.map { "\($0)=\($1)" }) { variables in
                posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else { throw SystemError(program, code: status) }
        identifier = process
    }

    /// Waits for the end, and leaves the process's number taken until ``reap()``.
    ///
    /// - Returns: the exit status, or the number of the signal that killed the program, negated.
    package func end() -> Int32 {
        var end = siginfo_t()
        while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) != 0 {
            // No child of this process any longer.
            guard errno == EINTR else { return -1 }
        }
        let status = end._sifields._sigchld.si_status
        return end.si_code == CLD_EXITED ? status : -status
    }

    /// Waits for the end, and gives the process's number free.
    package func reap() {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }

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

    // MARK: What has been in glibc since 2.29 and 2.34, and in Swift's module for it not yet

    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    private static let addChangeOfFolder: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32)? =
        function("posix_spawn_file_actions_addchdir_np")

    private static let addCloseFrom: (@convention(c) (Actions, Int32) -> Int32)? =
        function("posix_spawn_file_actions_addclosefrom_np")

    private static func function<Function>(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
}

extension LaunchedProgram.Stream {
    fileprivate func add(to actions: inout posix_spawn_file_actions_t, as target: Int32) {
        switch self {
        case .inherited: break
        case .nothing: posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
        case .endOfFile(let path):
            posix_spawn_file_actions_addopen(&actions, target, path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
        case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
        case .output: posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, target)
        }
    }
}

extension LaunchedProgram.Group {
    fileprivate var flag: Int32 {
        switch self {
        case .own: Int32(POSIX_SPAWN_SETPGROUP)
        // POSIX_SPAWN_SETSID, which is declared only for programs that ask for GNU's additions.
        case .session: 0x80
        case .parents: 0
        }
    }
}
