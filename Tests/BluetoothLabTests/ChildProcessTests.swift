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
