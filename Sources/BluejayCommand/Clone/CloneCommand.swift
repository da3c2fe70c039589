import ArgumentParser
import CoreBluetooth
import Foundation
import LineOutput
import PlainText
import ProfileWriting

struct CloneCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Copy a device's attributes to a profile file that dittojay can run.",
        discussion: """
            Copies the advertising data, services, characteristics, readable values, descriptions and presentation formats. \
            Reads that are refused, not answered, or end the connection become faults of the profile. What a central cannot \
            see, such as the effect of a write, is not included. What a profile cannot express is reported on standard error.

            Reading a value that requires pairing pairs with the device. What bluetoothd has cached of the device is cleared \
            first.
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws {
        if options.json, output == nil {
            throw ValidationError("--json requires --output")
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
            throw CommandError(.failed, "cannot write \(output): \(error.localizedDescription)")
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
            throw ValidationError("\(path) already exists; use --force to overwrite it")
        }
    }
}
