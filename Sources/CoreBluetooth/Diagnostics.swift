import BlueZ
import Logging
import MainLoop
import Synchronization

/// Where the module reports what has no error callback, as Apple's does in the system log: wrong use of the API.
enum Diagnostics {
    /// Logs "API MISUSE" as an error. The call that was wrong is then ignored.
    static func misuse(_ message: @autoclosure () -> String) {
        logger.error("API MISUSE: \(message())")
    }

    /// Logs a fault that no delegate method can report.
    static func warning(_ message: @autoclosure () -> String) {
        logger.warning("\(message())")
    }
}

/// A warning that a program gets once.
final class Advice: Swift.Sendable {
    private let message: String
    private let isGiven = Atomic(false)

    init(_ message: String) {
        self.message = message
    }

    /// Logs it the first time.
    func give() {
        if !isGiven.exchange(true, ordering: .relaxed) { Diagnostics.warning(message) }
    }
}

extension BlueZSession {
    /// Makes sure that bluetoothd has this process's pairing agent, or says why it has not.
    @LoopActor
    func registerAgent() {
        sharedAgent.register { Diagnostics.warning("no pairing: bluetoothd refuses the agent: \($0)") }
    }
}
