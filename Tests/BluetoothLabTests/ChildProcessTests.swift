import BluetoothLab
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct ChildProcessTests {
    /// Tests in one process start hundreds of programs; it may have 1,024 descriptors.
    @Test func programsThatHaveEndedLeaveNoDescriptors() async throws {
        func pipes() throws -> Int {
            let folder = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count { entry in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(entry)")
                return target?.hasPrefix("pipe:") ?? false
            }
        }
        let before = try pipes()
        for _ in 0..<40 {
            let process = try ChildProcess("echo", ["hello"])
            #expect(try await process.exitStatus() == 0)
            #expect(process.lines == ["hello"])
        }
        // Other tests, which run beside this one, have a few of their own.
        #expect(try pipes() < before + 40)
    }
}
