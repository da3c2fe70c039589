import Glibc
import Posix
import TestSupport
import Testing

@Suite struct ProcessStatusTests {
    @Test func `a process that runs is known by its start`() throws {
        let own = try #require(ProcessStatus(of: getpid()))
        #expect(!own.hasEnded && own.start > 0)
        #expect(ProcessStatus(of: 0) == nil && ProcessStatus(of: -1) == nil)
    }

    @Test func `one that waits for its parent has ended`() throws {
        let program = try LaunchedProgram(["true"])
        var info = siginfo_t()
        try #require(waitid(P_PID, id_t(program.identifier), &info, WEXITED | WNOWAIT) == 0)
        #expect(ProcessStatus(of: program.identifier)?.hasEnded == true)
        program.reap()
        #expect(ProcessStatus(of: program.identifier) == nil)
    }

    /// The kernel cuts names after 15 bytes, which may be inside of a character.
    @Test(arguments: [
        Array("app".utf8), Array("a) Z (b".utf8), Array("a\n) Z 1\nb".utf8), Array("Herzfrequenz-f".utf8) + [0xC3],
    ])
    func `it is found whatever the name`(name: [UInt8]) {
        let fields = "1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1\n"
        let status = Array("42 (".utf8) + name + Array(") ".utf8)
        let running = ProcessStatus(status + Array("S \(fields)".utf8))
        #expect(running?.start == 4711 && running?.hasEnded == false)
        #expect(ProcessStatus(status + Array("Z \(fields)".utf8))?.hasEnded == true)
        #expect(ProcessStatus(status) == nil && ProcessStatus([]) == nil)
    }
}
