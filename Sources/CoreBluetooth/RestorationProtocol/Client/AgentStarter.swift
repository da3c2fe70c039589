import Foundation
package import Posix

/// Starts the agent for a program that finds none.
package enum AgentStarter {
    /// The environment variable with the path of the `bluejay` program.
    package static let variable = "BLUEJAY_AGENT_PROGRAM"

    /// Starts the agent; it takes a moment until it listens. Where one runs already, nothing happens.
    ///
    /// - Throws: ``SystemError`` when there is no place for its record or no `bluejay` program, for example.
    package static func start(
        _ location: AgentLocation, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SystemError) {
        try location.prepareStateFolder()
        let program = program(environment)
        guard isExecutable(program, environment["PATH"] ?? "") else {
            throw SystemError(text: "program not found: \(program)")
        }
        // By a shell that ends at once: the agent is not this program's child, and outlasts it without a trace.
        let shell = try LaunchedProgram(
            ["/bin/sh", "-c", "\"$0\" agent --exit-when-idle &", program], in: "/",
            environment: LaunchEnvironment.kept(of: environment), group: .session,
            output: .endOfFile(location.stateFolder + "/agent.log"), errors: .output)
        shell.reap()
    }

    private static func isExecutable(_ program: String, _ searchPath: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        return searchPath.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// What the environment says, `bluejay` beside this program, or `bluejay` on PATH.
    static func program(_ environment: [String: String]) -> String {
        if let path = environment[variable], !path.isEmpty { return path }
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let neighbour = (own as NSString).deletingLastPathComponent + "/bluejay"
        return access(neighbour, X_OK) == 0 ? neighbour : "bluejay"
    }
}
