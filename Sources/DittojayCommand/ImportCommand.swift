import ArgumentParser
import BlueZ
import Captures
import CoreBluetooth
import Dittojay
import LineOutput
import PlainText
import ProfileWriting

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a profile file from a capture of Bluetooth traffic.",
        discussion: """
            Reads Android's btsnoop_hci.log, Apple's PacketLogger (.pklg), btmon's files, and pcap and pcapng with HCI or \
            with frames of a sniffer, as far as these are not encrypted. Writes a profile of one device that dittojay \
            serves: advertisement, services, values, what needs pairing, answers to writes, and the rest of what it sent \
            as a recording. What was guessed or left out is in the report, with the numbers of packets in Wireshark.

            With several devices and no --device, lists them and exits with status 64. Exits with status 1 if nothing can \
            be imported, for example because all of it is encrypted.
            """)

    @Argument(help: "The capture.")
    var capture: String

    @Flag(help: "List the devices of the capture.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "The device (default: the only one with a link). Repeat it for other addresses of the same device.",
            valueName: "address"))
    var device: [String] = []

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Also write a scenario that expects a central to do what it did in the capture.", valueName: "file"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Write a scene of the virtual radio instead: phantoms advertise what the capture heard, except --device.",
            valueName: "file"))
    var scene: String?

    @Flag(help: "Print what was recognized, guessed and left out (without --output, on standard error).")
    var report = false

    @Flag(help: "Make faults of requests that were refused or not answered.")
    var faults = false

    @Flag(help: "Replace addresses, names and serial numbers.")
    var anonymize = false

    @Flag(help: "Overwrite existing files.")
    var force = false

    @Flag(help: "Print the list or the report as one JSON object.")
    var json = false

    func validate() throws {
        if scene != nil, list || output != nil || scenario != nil || faults {
            throw ValidationError("--scene cannot be combined with --list, --output, --scenario or --faults")
        }
        if json, !list, output == nil, scene == nil {
            throw ValidationError("--json requires --list, --output or --scene")
        }
    }

    func run() throws {
        var anonymizer = Anonymizer()
        if list {
            let analysis = try analyse()
            if anonymize { anonymizer.anonymize(namesOf: analysis.devices) }
            return try show(DeviceList(analysis))
        }
        if let scene {
            let served = device.isEmpty ? nil : try choose()
            let analysis = try served?.analysis ?? analyse()
            if anonymize { anonymizer.anonymize(analysis.devices) }
            return try write(
                SceneImport(analysis, fileName: fileName, without: served?.device.identity), to: scene)
        }
        let chosen = try choose()
        if anonymize { anonymizer.anonymize(chosen.device) }
        let made = DeviceImport(
            chosen.device, chosen.analysis,
            ImportOptions(
                fileName: fileName, includesFaults: faults,
                standards: StandardService.allCases.map(StandardTable.init),
                isOwnService: { OwnServices.contain(uuid: $0, characteristics: $1, identity: $2) }))
        try write(made)
    }

    private var fileName: String { capture.split(separator: "/").last.map(String.init) ?? capture }

    private func analyse() throws -> CaptureAnalysis {
        do throws(CaptureError) {
            return try CaptureAnalysis(CaptureFile(path: capture))
        } catch {
            StandardError.write("dittojay: \(capture): \(error)")
            throw ExitCode.validationFailure
        }
    }

    private func choose() throws -> ChosenDevice {
        do throws(ChosenDevice.Problem) {
            return try ChosenDevice(device, in: capture)
        } catch {
            if case .several(let list) = error { try show(list) }
            StandardError.write(lines: error.lines(capture).map { "dittojay: \($0)" })
            throw error.isUsage ? ExitCode.validationFailure : ExitCode.failure
        }
    }

    private func show(_ list: DeviceList) throws {
        if json { try StandardOutput.write(list.object) } else { try StandardOutput.write(list.lines) }
    }

    // MARK: Files

    private func write(_ made: SceneImport, to path: String) throws {
        guard made.count > 0 else {
            StandardError.write("dittojay: \(capture): no advertisements received; no scene written")
            throw ExitCode.failure
        }
        try NewFile.write(made.lines, to: path, overwriting: force)
        if json {
            var object = JSONObject()
            object.add("file", path)
            made.add(to: &object)
            return try StandardOutput.write(object)
        }
        try StandardOutput.write(
            ["\(path): \(counted(made.count, "phantom")); \(made.report.leftOut.count) left out"]
                + (report ? made.report.lines : []))
    }

    private func write(_ made: DeviceImport) throws {
        var report = made.report
        let profile = made.profile
        if profile.omittedValues > 0 {
            report.leftOut.append(
                .init(text: "\(counted(profile.omittedValues, "value")) beyond what a file can have", packet: nil))
        }
        let test = scenario == nil ? nil : made.scenario
        if scenario != nil {
            report.recognized += test?.report.recognized ?? []
            report.leftOut += test?.report.leftOut ?? [.init(text: "a scenario: the central did nothing", packet: nil)]
        }
        if let output { try NewFile.write(profile.lines, to: output, overwriting: force) }
        if let scenario, let test { try NewFile.write(test.lines, to: scenario, overwriting: force) }
        guard let output else {
            try StandardOutput.write(profile.lines)
            return StandardError.write(lines: self.report ? report.lines : [])
        }
        if json {
            var object = JSONObject()
            object.add("file", output)
            object.add("device", made.identity)
            made.add(to: &object)
            report.add(to: &object)
            return try StandardOutput.write(object)
        }
        let hint = self.report || report.isExact ? "" : " (--report lists them)"
        try StandardOutput.write(
            ["\(output): \(made.contents); \(report.guessed.count) guessed, \(report.leftOut.count) left out\(hint)"]
                + (self.report ? report.lines : []))
    }
}

extension StandardTable {
    /// What dittojay simulates.
    fileprivate init(_ service: StandardService) {
        let names: [(CBCharacteristicProperties, String)] = [
            (.read, "read"), (.write, "write"), (.writeWithoutResponse, "write-without-response"), (.notify, "notify"),
            (.indicate, "indicate"),
        ]
        let profile = service.profile
        let characteristics = profile.characteristics.map { characteristic in
            (characteristic.uuid, Set(names.filter { characteristic.properties.contains($0.0) }.map(\.1)))
        }
        self.init(
            name: service.rawValue, uuid: profile.uuid,
            characteristics: Dictionary(characteristics, uniquingKeysWith: { first, _ in first }))
    }
}
