package import BluetoothLab

extension ChildProcess {
    /// Starts a program in a terminal of its own: what is typed goes through the terminal, with its echo and its keys,
    /// such as ``TerminalKey/interrupt``.
    package convenience init(
        inTerminal program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        let words = ([program] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        try self.init(
            "script",
            ["--quiet", "--return", "--flush", "--command", "exec " + words.joined(separator: " "), "/dev/null"],
            environment: environment.merging(["SHELL": "/bin/sh"]) { $1 })
    }
}

/// What a terminal does not pass on.
package enum TerminalKey {
    /// Ctrl-C.
    package static let interrupt = "\u{3}"
    /// Ctrl-D, at the beginning of a line.
    package static let endOfInput = "\u{4}"
}
