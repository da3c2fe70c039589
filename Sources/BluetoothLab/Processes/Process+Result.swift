package import Foundation

extension Process {
    /// Waits for the end of a program that this process has started: its exit status, or the number of the signal that
    /// killed it, negated; nil when Foundation has been faster.
    ///
    /// Foundation notices the end when the program's copy of a socket is closed (swift-corelibs-foundation of
    /// Swift 6.3). Programs that other threads start at the same moment have a copy as well, and so have those that the
    /// program leaves behind: Foundation notices nothing before all of them have ended. The program is left for
    /// Foundation to reap.
    package static func result(ofProgram identifier: pid_t) -> Int32? {
        var end = siginfo_t()
        while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { return nil }
        }
        let status = end._sifields._sigchld.si_status
        return end.si_code == CLD_EXITED ? status : -status
    }

    /// The same of a program whose end Foundation has noticed.
    package var resultOfProgram: Int32 { terminationReason == .exit ? terminationStatus : -terminationStatus }
}
