import Foundation

/// How a program ends with a message.
package enum ProgramEnd {
    /// Ends the program because of output that was lost, and says so.
    ///
    /// - Parameter program: its name, which begins the message.
    package static func exit(_ program: String, _ error: OutputError) -> Never {
        StandardError.write("\(program): \(error)")
        Foundation.exit(OutputError.exitStatus)
    }

    /// Ends the program with a message, on standard output if the status is 0 (a help text, a version), otherwise on
    /// standard error. A message for standard output that cannot be written ends it with ``OutputError/exitStatus``.
    ///
    /// - Parameters:
    ///   - program: its name.
    ///   - status: the exit status.
    ///   - message: lines, none if it is empty.
    package static func exit(_ program: String, status: Int32, message: String) -> Never {
        if message.isEmpty { Foundation.exit(status) }
        guard status == 0 else {
            StandardError.write(lines: message.components(separatedBy: "\n"))
            Foundation.exit(status)
        }
        do throws(OutputError) {
            try StandardOutput.write(verbatim: message + "\n")
        } catch {
            exit(program, error)
        }
        Foundation.exit(0)
    }
}
