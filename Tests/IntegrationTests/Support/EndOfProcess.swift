import Foundation
import Posix

extension ProcessStatus {
    /// Whether a process that was killed has closed its descriptors. Its last thread does that, which may be held up
    /// when the process counts as ended already.
    static func isGone(_ process: pid_t) -> Bool {
        guard ProcessStatus(of: process)?.hasEnded != false else { return false }
        let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        return (threads?.count ?? 0) <= 1
    }
}
