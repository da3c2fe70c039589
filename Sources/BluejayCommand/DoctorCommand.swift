import ArgumentParser
import CommandSupport
import Foundation
import LineOutput

struct DoctorCommand: AsyncParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check this machine's Bluetooth setup and suggest fixes.",
        discussion: "Exits with status 0 if nothing but warnings was found, otherwise with 4. It changes nothing.")

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(help: "Treat warnings as problems.")
    var strict = false

    @OptionGroup var logOptions: LogOptions

    func run() async throws {
        let doctor = Doctor(
            role: .central, adapter: adapter ?? ProcessInfo.processInfo.environment["BLUETOOTH_ADAPTER"],
            adapterVariable: adapter == nil ? "BLUETOOTH_ADAPTER" : nil)
        let report = await doctor.examine()
        if json {
            for object in report.objects { try StandardOutput.write(object) }
        } else {
            try StandardOutput.write(report.lines)
        }
        let isHealthy = report.problems.isEmpty && (!strict || report.warnings.isEmpty)
        throw ExitCode((isHealthy ? ExitStatus.done : .bluetoothUnavailable).rawValue)
    }
}
