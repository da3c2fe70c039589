import ArgumentParser
import Dispatch
import Dittojay
import Doctor
import Foundation

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check whether dittojay can work on this machine, and say what mends it.",
        discussion: """
            Ends with 0 if nothing is in the way, warnings aside; else with 3, 4 or 5, by the first problem, as the sensor \
            would. It changes nothing.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Flag(help: "Take warnings for problems.")
    var strict = false

    func run() throws {
        let doctor = Doctor(
            role: .peripheral, adapter: adapter ?? ProcessInfo.processInfo.environment["BLUETOOTH_ADAPTER"])
        Task {
            let report = await doctor.examine()
            for line in json ? report.objects.map(\.text) : report.lines { print(line) }
            let worst = report.problems.first ?? (strict ? report.warnings.first : nil)
            Foundation.exit(worst?.topic.exitStatus ?? 0)
        }
        dispatchMain()
    }
}

extension Finding.Topic {
    /// The exit status that the sensor itself would end with; documented in the program's help.
    fileprivate var exitStatus: Int32 {
        switch self {
        case .bus, .bluetoothd, .permission, .version, .settings: 3
        case .kernel, .adapter: 4
        case .radio, .power, .scanning, .advertising, .services, .pairing, .sockets: 5
        }
    }
}
