extension AppRegistration {
    /// How this process is registered under a restore identifier.
    ///
    /// - Parameters:
    ///   - command: what starts the program again; by default what has started it this time.
    ///   - adapter: the controller to publish on.
    init(identifier: String, command: [String]?, role: Role = .central, adapter: String? = nil) {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let first = program.isEmpty ? CommandLine.arguments.first ?? "" : program
        self.init(
            program: first, identifier: identifier,
            command: command.flatMap { $0.isEmpty ? nil : $0 } ?? [first] + CommandLine.arguments.dropFirst(),
            folder: FileManager.default.currentDirectoryPath,
            environment: LaunchEnvironment.kept(of: ProcessInfo.processInfo.environment), role: role, adapter: adapter)
    }
}
