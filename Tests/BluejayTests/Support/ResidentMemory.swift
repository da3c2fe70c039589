import Foundation

/// How much memory the process has, as the kernel counts it.
enum ResidentMemory {
    /// Bytes, from `/proc/self/statm` (proc(5)).
    static func bytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .ascii)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let pages else { throw CocoaError(.fileReadCorruptFile) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
