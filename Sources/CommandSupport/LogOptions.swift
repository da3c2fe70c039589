package import ArgumentParser
import Foundation
package import Logging
import MainLoop

/// The options for what a program reports of its own work.
package struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Log to standard error at this level and above.",
            discussion: """
                trace, debug, info, notice, warning, error or critical. A layer can have its own level: \
                debug,dbus=trace. The layers are dbus, bluez, corebluetooth, restoration, bluejay and dittojay.
                """,
            valueName: "level"),
        transform: { try LogFilter(parsing: $0) })
    private var logLevel: LogFilter?

    @Flag(help: "The same as --log-level debug.")
    private var verbose = false

    package init() {}

    package func validate() throws {
        guard logLevel == nil || !verbose else {
            throw ValidationError("--verbose is the same as --log-level debug; use only one of them")
        }
    }

    /// What the options ask for; nil if they are not given.
    fileprivate var filter: LogFilter? {
        verbose ? LogFilter(.debug) : logLevel
    }
}

/// A command that has ``LogOptions``.
package protocol LoggingCommand {
    var logOptions: LogOptions { get }
}

/// The log of a program, on standard error.
package enum ProgramLog {
    /// Starts the log. To be called once, before anything is logged.
    ///
    /// - Parameters:
    ///   - command: what the user has called; its options come first.
    ///   - variable: the environment variable that is used without them, such as `BLUEJAY_LOG`.
    ///   - defaultLevel: the level if neither is given.
    /// - Throws: `ValidationError` for a mistake in the variable.
    package static func start(
        _ command: some ParsableCommand, variable: String, default defaultLevel: Logger.Level = .warning
    ) throws {
        var filter = LogFilter(defaultLevel)
        if let asked = (command as? any LoggingCommand)?.logOptions.filter {
            filter = asked
        } else if let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty {
            do throws(LogFilter.Mistake) {
                filter = try LogFilter(parsing: text, default: filter.level)
            } catch {
                throw ValidationError("\(variable): \(error)")
            }
        }
        LoggingSystem.bootstrap { [filter] label in
            LineLogHandler(label: label, logLevel: filter.level(ofLabel: label))
        }
    }
}
