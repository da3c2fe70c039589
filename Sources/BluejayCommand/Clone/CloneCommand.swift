import ArgumentParser
import Bluejay
import Foundation
import LineOutput

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

    @Flag(help: "Overwrite an existing file.")
    var force = false

    func validate() throws {
        if options.json, output == nil {
            throw ValidationError("--json is about what is printed besides the profile: it needs --output")
        }
        if let output, !force, FileManager.default.fileExists(atPath: output) {
            throw ValidationError("\(output) exists already; --force overwrites it")
        }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.clone($0) }
    }

    @MainActor
    private func clone(_ context: CommandContext) async throws {
        let reader = DeviceReader(context, target, answerTimeout: answer.timeout)
        var device = try await reader.read()
        device.fitAdvertisement()
        let lines = ProfileText(device).lines
        for loss in device.losses { StandardError.write("bluejay: not in the profile: \(loss)") }
        guard let output else { return context.output.print(lines: lines) { _ in } }
        do {
            let text = lines.joined(separator: "\n") + "\n"
            try Data(text.utf8).write(
                to: URL(fileURLWithPath: output), options: force ? .atomic : .withoutOverwriting)
        } catch {
            throw Failure(.failed, "cannot write \(output): \(error.localizedDescription)")
        }
        let count = device.services.reduce(0) { $0 + $1.characteristics.count }
        context.output.print(
            "\(output): \(counted(device.services.count, "service")) with \(counted(count, "characteristic"))"
        ) { object in
            object.add("file", output)
            object.add("services", device.services.count)
            object.add("characteristics", count)
            object.add("notInProfile", device.losses)
        }
    }
}
