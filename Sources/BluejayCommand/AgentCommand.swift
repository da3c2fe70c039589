import ArgumentParser
import CommandSupport
import CoreBluetooth
import Foundation
import LineOutput
import Logging
import MainLoop
import Posix
import RestorationAgent

struct AgentCommand: AsyncParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Run the restoration agent: keep the Bluetooth state of programs and restart them on events.",
        discussion: """
            One agent serves all programs of a user that use state restoration. A program that needs it starts it if it is not \
            running. As a systemd service it starts at login:

              bluejay agent --print-unit > ~/.config/systemd/user/bluejay-agent.service
              systemctl --user enable --now bluejay-agent

            ENVIRONMENT
              BLUEJAY_AGENT_SOCKET     socket to listen on (default: bluejay-agent.sock in XDG_RUNTIME_DIR)
              BLUEJAY_STATE_DIRECTORY  folder of the saved state (default: ~/.local/state/bluejay)
              BLUEJAY_AGENT_PROGRAM    for programs: the bluejay to start as the agent
            """)

    @Flag(help: "Exit when there is no state to keep and no program is connected.")
    var exitWhenIdle = false

    @Flag(help: "Print a systemd user unit and exit.")
    var printUnit = false

    @OptionGroup var logOptions: LogOptions

    func run() async throws {
        if printUnit { return try StandardOutput.write(verbatim: Self.unit) }
        let location = AgentLocation()
        do {
            try await AgentProgram.start(location, exitsWhenIdle: exitWhenIdle)
        } catch let error as SystemError where exitWhenIdle && error.code == EADDRINUSE {
            // Several programs may have found none at the same time.
            StandardError.write("an agent is already running; it listens on \(location.socket)")
            return
        } catch {
            StandardError.write("the agent cannot start: \(error)")
            throw ExitCode.failure
        }
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// The unit, with the path of this program.
    static var unit: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "bluejay"
        return """
            [Unit]
            Description=Bluetooth state restoration for programs of this user

            [Service]
            ExecStart=\(program) agent
            Restart=always
            RestartSec=1
            # The programs that it starts outlast it.
            KillMode=process

            [Install]
            WantedBy=default.target

            """
    }
}

/// The running agent.
@MainActor
private enum AgentProgram {
    private static var core: AgentCore?
    private static var server: AgentServer?
    private static var backend: BluetoothBackend?
    private static var signals: SignalWatch?
    private static var idleCheck: (any DispatchSourceTimer)?
    private static var idleRounds = 0

    /// Seconds between two checks for anything to do.
    private static let idleInterval = 15.0

    static func start(_ location: AgentLocation, exitsWhenIdle: Bool) throws {
        try location.prepare()
        signal(SIGPIPE, SIG_IGN)
        // The exit statuses of programs that it starts do not matter, but they must not stay behind as zombies.
        signal(SIGCHLD, SIG_IGN)
        // A program that it starts must not depend on the folder in which the agent was started.
        chdir("/")
        raiseDescriptorLimit()
        let file = RecordFile(folder: location.stateFolder)
        let log = Logger(.restoration)
        let host = SystemHost(file: file, queue: .main) { log.info("\($0)") }
        let backend = BluetoothBackend()
        // The lock first: an agent that does not have it must not touch the record or Bluetooth.
        let core = AgentCore(
            record: RestorationRecord(), backend: backend, host: host, queue: .main)
        let server = try AgentServer(location, core: core, queue: .main)
        core.takeUp(try file.load { host.log($0) })
        (self.core, self.server, self.backend) = (core, server, backend)
        core.start()
        signals = SignalWatch(SignalWatch.ending, queue: .main) { _ in MainActor.assumeIsolated { stop() } }
        if exitsWhenIdle {
            let timer = DispatchSource.makeTimerSource(queue: .main)
            timer.schedule(deadline: .now() + idleInterval, repeating: idleInterval)
            timer.setEventHandler { MainActor.assumeIsolated { lookWhetherIdle() } }
            timer.activate()
            idleCheck = timer
        }
        host.log("The agent listens on \(location.socket)")
    }

    private static func lookWhetherIdle() {
        idleRounds = core?.isIdle == true && server?.connectionCount == 0 ? idleRounds + 1 : 0
        if idleRounds >= 2 { stop() }
    }

    /// Ends. The state to restore is on disk, and the links stay up.
    private static func stop() {
        server?.stop()
        core?.saveNow()
        Foundation.exit(0)
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
