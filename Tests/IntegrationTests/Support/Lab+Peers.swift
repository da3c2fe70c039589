import BluetoothLab
import Foundation

extension Lab {
    /// Starts a program of `Fixtures/peers`, which is made with another library.
    static func peer(_ program: String, _ arguments: String...) throws -> ChildProcess {
        try peer(program, arguments)
    }

    /// The same with the arguments in an array.
    static func peer(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        guard let python = ProcessInfo.processInfo.environment["LAB_PYTHON"] else {
            throw LabError("LAB_PYTHON is not set: ./lab setup installs the peers")
        }
        // The lab runs everything in the repository's root.
        return try ChildProcess(python, ["Fixtures/peers/\(program)"] + arguments)
    }
}
