import ArgumentParser
import CommandSupport
import CoreBluetooth
import Dittojay
import Foundation
import GATTProfiles
import LineOutput
import MainLoop

struct ProxyCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Proxy a real device: log, record, modify and inject faults.",
        discussion: """
            Connects to DEVICE with one controller and publishes the device's services with another. Requests from centrals \
            are forwarded to the device, and its responses, errors and notifications are forwarded back; each is logged. \
            "dittojay fault", "disconnect" and the other commands work as with a simulated peripheral.

            When the connection to the device is lost, the centrals are disconnected, and advertising stops until it is back.

            The proxy is meant for developers of devices and apps. It does not break pairing and sees no traffic but that of \
            its own two connections: a central that is paired with the device recognizes that this is a different one.
            """)

    @Argument(help: "An address, an identifier or a name.")
    var device: String

    @Option(help: ArgumentHelp("Bluetooth adapter for the device, as hci1 or by its address.", valueName: "name"))
    var deviceAdapter: String?

    @Option(help: ArgumentHelp("Bluetooth adapter for centrals.", valueName: "name"))
    var adapter: String?

    @Option(help: "The advertised name (default: the device's).")
    var name: String?

    @Option(
        help: ArgumentHelp("Timeout for finding the device and discovering its services.", valueName: "seconds"))
    var connectTimeout = 20.0

    @Option(
        help: ArgumentHelp(
            "Record all traffic as JSON Lines, with directions.",
            valueName: "file"))
    var record: String?

    @Flag(help: "Overwrite an existing recording.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Replace the value from the device with this one; may be repeated.",
            valueName: "characteristic=value"))
    var replace: [String] = []

    @Option(
        help: ArgumentHelp(
            "Replace what centrals write with this value; may be repeated.",
            valueName: "characteristic=value"))
    var replaceWrites: [String] = []

    @Option(help: ArgumentHelp("Scenario to play: faults, expectations, …", valueName: "file"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Write the scenario's results as JUnit XML to this file (- for standard output).",
            valueName: "file"))
    var junit: String?

    @Option(
        help: "Random seed for probabilistic faults, to replay a run (default: a new one each time).")
    var seed: UInt64?

    @OptionGroup var sessionOptions: SessionOptions
    @OptionGroup var logOptions: LogOptions

    func validate() throws {
        guard !device.isEmpty else { throw ValidationError("DEVICE is empty") }
        guard connectTimeout > 0, connectTimeout <= 1e6 else {
            throw ValidationError("--connect-timeout must be a number of seconds above 0")
        }
        if let name { try RunCommand.validate(name: name) }
        if junit != nil, scenario == nil { throw ValidationError("--junit requires --scenario") }
        _ = try replacements()
    }

    func run() throws {
        // A reader that closes the pipe ends the program, but not before everything is put back.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "dittojay")
        let record = try record.map { try EventRecord(path: $0, force: force, queue: queue) }
        let environment = ProcessInfo.processInfo.environment
        var options = ProxiedDevice.Options(
            DeviceSelector(device), adapter: deviceAdapter ?? environment["BLUETOOTH_ADAPTER"], timeout: connectTimeout,
            replacements: try replacements())
        if let scenario {
            options.scenario = { offer throws(DittojayError) in
                do throws(ProfileFileError) {
                    let content = try ProfileFile.readScenario(path: scenario, for: offer)
                    for warning in content.warnings { StandardError.write("dittojay: warning: \(warning)") }
                    return content.value
                } catch {
                    throw .wrongUsage(error.all.map(\.description).joined(separator: "\n"))
                }
            }
        }
        let group = PeripheralGroup(
            ProxiedDevice(options), adapter: adapter ?? environment["DITTOJAY_ADAPTER"], localName: name,
            seed: seed ?? UInt64(UInt32.random(in: .min ... .max)),
            controlSocket: sessionOptions.controlSocket, clock: DispatchClock(queue: queue))
        let session = TerminalSession(group, sessionOptions, junit: junit, record: record)
        session.start()
        dispatchMain()
    }

    private func replacements() throws -> [ProxiedDevice.Replacement] {
        try replace.map { try replacement($0, .fromDevice, "--replace") }
            + replaceWrites.map { try replacement($0, .toDevice, "--replace-writes") }
    }

    private func replacement(
        _ text: String, _ direction: ProxiedDevice.Replacement.Direction, _ option: String
    ) throws -> ProxiedDevice.Replacement {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw ValidationError("\(option) takes CHARACTERISTIC=VALUE, such as body-sensor-location=u8:2")
        }
        do {
            let value = try ValueText.parse(String(text[text.index(after: sign)...]), bare: .text)
            guard value.count <= LabService.maximumValueLength else {
                throw ValidationError("\(option): the value has more than \(LabService.maximumValueLength) bytes")
            }
            return .init(direction, of: String(text[..<sign]), by: value)
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("\(option): \(error)")
        }
    }
}
