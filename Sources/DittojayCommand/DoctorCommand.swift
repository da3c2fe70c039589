import ArgumentParser
import CommandSupport
import Dispatch
import Dittojay
import Foundation
import LineOutput

struct DoctorCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check this machine's Bluetooth setup and suggest fixes.",
        discussion: """
            Exits with status 0 if nothing but warnings was found, otherwise with 4. It changes nothing.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(help: "Treat warnings as problems.")
    var strict = false

    @OptionGroup var logOptions: LogOptions

    func run() throws {
        let chosen = AdapterVariable.chosen
        let doctor = Doctor(
            role: .peripheral, adapter: adapter ?? chosen.adapter,
            adapterVariable: adapter == nil ? chosen.name : nil)
        Task {
            let report = await doctor.examine()
            do throws(OutputError) {
                if json {
                    for object in report.objects { try StandardOutput.write(object) }
                } else {
                    try StandardOutput.write(report.lines)
                }
            } catch {
                DittojayProgram.end(with: error)
            }
            let isHealthy = report.problems.isEmpty && (!strict || report.warnings.isEmpty)
            Foundation.exit(isHealthy ? 0 : DittojayError.bluetoothStatus)
        }
        dispatchMain()
    }
}
