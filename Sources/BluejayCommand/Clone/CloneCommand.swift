import ArgumentParser
import Bluejay
import Foundation
import LineOutput
import PlainText

struct CloneCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Read a device into a profile file, which dittojay can serve.",
        discussion: """
            Advertisement, services, characteristics, what can be read, descriptions and presentation formats. Reads that \
            are refused, not answered, or end the connection become faults of the profile. What a central cannot see, such \
            as what a write does, is not in it. What the device has and a profile cannot say is reported on standard error.

            A value that needs pairing makes this machine pair. What bluetoothd has only seen of the device before is \
            forgotten first.
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write; default: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws {
        if options.json, output == nil {
            throw ValidationError("--json is about what is printed besides the profile: it needs --output")
        }
        if let output { try overwriting.check(output) }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.clone($0) }
    }

    @MainActor
    private func clone(_ context: CommandContext) async throws {
        let device = try await DeviceReader(context, target, answerTimeout: answer.timeout).read().device
        let lines = ProfileText(device).lines
        device.reportLosses()
        guard let output else { return context.output.print(lines: lines) { _ in } }
        do {
            let text = lines.joined(separator: "\n") + "\n"
            try Data(text.utf8).write(
                to: URL(fileURLWithPath: output), options: overwriting.force ? .atomic : .withoutOverwriting)
        } catch {
            throw Failure(.failed, "cannot write \(output): \(error.localizedDescription)")
        }
        context.output.print("\(output): \(device.contents)") { object in
            object.add("file", output)
            device.add(to: &object)
        }
    }
}

extension ClonedDevice {
    /// `3 services with 5 characteristics`.
    var contents: String {
        "\(counted(services.count, "service")) with \(counted(characteristicCount, "characteristic"))"
    }

    private var characteristicCount: Int { services.reduce(0) { $0 + $1.characteristics.count } }

    func add(to object: inout JSONObject) {
        object.add("services", services.count)
        object.add("characteristics", characteristicCount)
        object.add("notInProfile", losses)
    }

    /// Says on standard error what is not in the profile.
    func reportLosses() {
        for loss in losses { StandardError.write("bluejay: not in the profile: \(loss)") }
    }
}

/// The option of a command that writes a file.
struct OverwritingOptions: ParsableArguments {
    @Flag(help: "Overwrite an existing file.")
    var force = false

    /// Refuses a file that exists, unless it is to be overwritten.
    func check(_ path: String) throws {
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw ValidationError("\(path) exists already; --force overwrites it")
        }
    }
}
