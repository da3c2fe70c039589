extension Lab {
    /// Runs the central `bluejay` on the lab's second controller and returns it when it has ended, for what it printed:
    /// `try await lab.bluejay("read", "Dittojay", "180D/2A38", "--format", "u8").lines`.
    ///
    /// - Parameter arguments: of `bluejay`; with `--adapter` among them, that one counts.
    /// - Throws: ``LabError`` with what it printed, when it ends with another exit status or does not end in time.
    @discardableResult
    public func bluejay(_ arguments: String..., expecting status: Int32 = 0, within timeout: Duration = .seconds(90))
        async throws -> ChildProcess
    {
        try await bluejay(arguments, expecting: status, within: timeout)
    }

    /// The same with the arguments in an array.
    @discardableResult
    public func bluejay(_ arguments: [String], expecting status: Int32 = 0, within timeout: Duration = .seconds(90))
        async throws -> ChildProcess
    {
        let adapter = arguments.contains("--adapter") ? [] : ["--adapter", Lab.centralAdapter]
        let process = try ChildProcess("bluejay", arguments + adapter)
        let actual = try await process.exitStatus(within: timeout)
        guard actual == status else {
            throw LabError("exit status \(actual), not \(status): \(process.transcript)")
        }
        return process
    }
}
