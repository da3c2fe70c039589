import BluetoothLab
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChildProcessTests {
    /// Tests in one process start hundreds of programs; it may have 1,024 descriptors.
    @Test func `programs that have ended leave no descriptors`() async throws {
        // In a process of its own: tests that run beside this one open and close descriptors as well.
        await #expect(processExitsWith: .success) {
            let before = try descriptors()
            for _ in 0..<40 {
                let process = try ChildProcess("echo", ["hello"])
                #expect(try await process.exitStatus() == 0)
                #expect(process.lines == ["hello"])
            }
            // The first one may leave a few that all of them share.
            #expect(try descriptors() < before + 20)
        }
    }

    /// What is left behind has the descriptors that Foundation gives each program.
    @Test func `a program has ended though one that it has left behind runs`() async throws {
        let process = try ChildProcess("sh", ["-c", "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; exit 3"])
        let result = try? await process.exitStatus()
        if let left = process.lines.first.flatMap({ pid_t($0) }) { kill(left, SIGKILL) }
        #expect(result == 3)
    }

    @Test func `what other threads start holds up no end`() async throws {
        try await withThrowingTaskGroup(of: ChildProcess.self) { group in
            var started: [ChildProcess] = []
            for round in 0..<200 {
                group.addTask { try ChildProcess("sleep", ["1000"]) }
                group.addTask {
                    let process = try ChildProcess("true")
                    _ = try await process.exitStatus()
                    return process
                }
                if round >= 8 { started += [try await group.next(), try await group.next()].compactMap(\.self) }
            }
            for try await process in group { started.append(process) }
            #expect(started.count { $0.isRunning } == 200, "those that sleep")
        }
    }

    @Test func `the lines of each stream are kept apart`() async throws {
        let process = try ChildProcess("sh", ["-c", "echo 1; echo a >&2; echo 2; echo b >&2; printf 3"])
        #expect(try await process.exitStatus() == 0)
        #expect(process.standardOutput == ["1", "2", "3"])
        #expect(process.standardError == ["a", "b"])
        #expect(process.lines.sorted() == ["1", "2", "3", "a", "b"])
    }

    @Test func `a prompt is waited for, in a line that has not ended`() async throws {
        let process = try ChildProcess(
            "sh", ["-c", "echo a; printf 'b? '; read answer; echo $answer; printf 'c? ' >&2; read end"])
        try await process.prompt("b? ")
        try process.type("yes")
        try await process.line(containing: "yes")
        try await process.prompt("c? ")
        try process.type("")
        await #expect(throws: LabError.self) { try await process.prompt("d? ") }
        #expect(process.standardError == ["c? "])
    }

    /// Shells start in the background what ignores SIGINT, tests included.
    @Test func `a program is interrupted though its tests cannot be`() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGINT, SIG_IGN)
            let process = try ChildProcess("sh", ["-c", "echo up; exec sleep 1000"])
            try await process.line(containing: "up")
            #expect(try await process.interrupt() == -SIGINT)
        }
    }
}

/// How many descriptors this process has open.
private func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
