import Foundation
import Posix
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LaunchedProgramTests {
    private let folder: TemporaryFolder
    private var file: String { folder.path + "/output" }
    private let environment = ProcessInfo.processInfo.environment

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a line of sh.
    private func run(
        _ line: String, in folder: String? = nil, group: LaunchedProgram.Group = .own
    ) throws -> (status: Int32, lines: [Substring]) {
        let program = try LaunchedProgram(
            ["sh", "-c", line], in: folder, environment: environment, group: group, output: .endOfFile(file),
            errors: .output)
        let status = program.end()
        program.reap()
        return (status, try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n"))
    }

    @Test func `an exit status and a signal are told apart`() throws {
        #expect(try run("exit 7").status == 7)
        #expect(try run("kill -TERM $$").status == -SIGTERM)
    }

    @Test func `a program that is reaped is no child any more`() throws {
        let program = try LaunchedProgram(["true"], environment: environment)
        program.reap()
        #expect(program.end() == -1)
    }

    @Test func `output and errors go to the end of a file for this user alone`() throws {
        _ = try run("echo 1")
        #expect(try run("echo 2; echo 3 >&2").lines == ["1", "2", "3"])
        var information = stat()
        #expect(stat(file, &information) == 0 && information.st_mode & 0o777 == 0o600)
    }

    /// A user's listening socket, for example, would stay open for as long as the agent runs.
    @Test func `no descriptors of this program are passed on`() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        try #require(descriptor > STDERR_FILENO && fcntl(descriptor, F_GETFD) == 0, "it would be passed on by exec")
        // The descriptor of the folder is that of ls.
        let (status, lines) = try run("exec ls /proc/self/fd")
        #expect(status == 0)
        #expect(lines == ["0", "1", "2", "3"])
    }

    @Test func `signals are as they are for a program that a shell starts`() throws {
        // One that no other test of this process has to do with.
        signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, SIG_DFL) }
        // 32 and 33 are glibc's own; it changes nothing about them.
        let sets = try run("exec sed -En 's/^Sig(Blk|Ign):.//p' /proc/self/status").lines
            .compactMap { UInt64($0, radix: 16) }
            .map { $0 & ~(3 << 31) }
        #expect(sets == [0, 0])
    }

    @Test func `it starts in a folder, or here where that is gone`() throws {
        #expect(try run("pwd", in: folder.path).lines == [Substring(folder.path)])
        #expect(try run("pwd", in: "/nowhere").lines.last == Substring(FileManager.default.currentDirectoryPath))
    }

    @Test(arguments: [(LaunchedProgram.Group.own, false), (.session, true)])
    func `it has a group or a session of its own`(group: LaunchedProgram.Group, isSession: Bool) throws {
        // The number of the process, of its group and of its session.
        let fields = try #require(run("exec cut -d ' ' -f 1,5,6 /proc/self/stat", group: group).lines.first)
            .split(separator: " ")
        #expect(fields.count == 3 && fields[1] == fields[0])
        #expect((fields[2] == fields[0]) == isSession)
    }

    @Test func `a program that is not there is a failure`() throws {
        let failure = #expect(throws: SystemError.self) {
            try LaunchedProgram(["/nowhere/program"], environment: environment)
        }
        #expect(failure?.description == "/nowhere/program: No such file or directory")
        let other = #expect(throws: SystemError.self) { try LaunchedProgram([], environment: environment) }
        #expect(other?.description == "empty command")
    }
}
