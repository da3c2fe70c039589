import BlueZ
import LineOutput
import MainLoop

/// Where the module reports what has no error callback, as Apple's does in the system log: wrong use of the API.
enum Diagnostics {
    /// Writes one "API MISUSE" line to standard error. The call that was wrong is then ignored.
    static func misuse(_ message: @autoclosure () -> String) {
        write("API MISUSE: \(message())")
    }

    /// Writes one line to standard error for a fault that no delegate method can carry.
    static func warning(_ message: @autoclosure () -> String) {
        write(message())
    }

    private static func write(_ text: String) {
        StandardError.write("[CoreBluetooth] \(text)")
    }
}

extension BlueZSession {
    /// Makes sure that bluetoothd has this process's pairing agent, or says why it has not.
    @LoopActor
    func registerAgent() {
        sharedAgent.register { Diagnostics.warning("no pairing: bluetoothd refuses the agent: \($0)") }
    }
}
