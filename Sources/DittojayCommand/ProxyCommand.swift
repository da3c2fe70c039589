import ArgumentParser
import CommandSupport
import CoreBluetooth
import Dittojay
import Foundation
import GATTProfiles
import LineOutput

struct ProxyCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Stand in front of a real device: show, record, change and break what passes.",
        discussion: """
            Connects to DEVICE with one controller and offers what it offers with another one. Requests of centrals are \
            passed on as they come, and the device's answers, errors and notifications are passed back. Each is shown. \
            "dittojay fault", "disconnect" and the other commands work as with a sensor of dittojay's own.

            When the link to the device is lost, so are the centrals' links, and nothing is advertised until it is back.

            It is for developers of devices and apps of their own. It breaks no pairing and reads no link but its own \
            two: a central that is paired with the device knows that this is another one.
            """)

    @Argument(help: "An address, an identifier or a name.")
    var device: String

    @Option(help: ArgumentHelp("The adapter to reach the device with, as hci1 or by its address.", valueName: "name"))
    var deviceAdapter: String?

    @Option(help: ArgumentHelp("The adapter to offer it with.", valueName: "name"))
    var adapter: String?

    @Option(help: "The advertised name; default: the device's.")
    var name: String?

    @Option(
        help: ArgumentHelp("How long it may take to find the device and all that it offers.", valueName: "seconds"))
    var connectTimeout = 20.0

    @Option(
        help: ArgumentHelp(
            "Write all events to a file, one JSON object a line, which say in which direction they went.",
            valueName: "file"))
    var record: String?

    @Flag(help: "Overwrite an existing record.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Give centrals this value in place of what the device has; may be repeated.",
            valueName: "characteristic=value"))
    var replace: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write this value to the device in place of what centrals write; may be repeated.",
            valueName: "characteristic=value"))
    var replaceWrites: [String] = []

    @Option(help: ArgumentHelp("Steps to play: faults, expectations, …", valueName: "file"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Where to write what came of the scenario's expectations, as JUnit's XML; - for standard output.",
            valueName: "file"))
    var junit: String?

    @Option(
        help: "Replay faults that are a matter of chance in a run that had this seed; default: a new one each time.")
    var seed: UInt64?

    @OptionGroup var sessionOptions: SessionOptions
    @OptionGroup var logOptions: LogOptions

    func validate() throws {
        guard !device.isEmpty else { throw ValidationError("DEVICE is empty") }
        guard connectTimeout > 0, connectTimeout <= 1e6 else {
            throw ValidationError("--connect-timeout must be a number of seconds above 0")
        }
        if let name { try RunCommand.validate(name: name) }
        if junit != nil, scenario == nil { throw ValidationError("--junit needs a --scenario that expects something") }
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
            controlSocket: sessionOptions.controlSocket, queue: queue)
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
