import ArgumentParser
import CoreBluetooth
import Foundation
import GATTProfiles
import PlainText
import ProfileWriting

struct RecordCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a device's attributes and notifications to a profile file that dittojay plays back.",
        discussion: """
            Reads what "clone" reads, subscribes to everything that notifies or indicates, and writes each value with its \
            time. The time counts from the first value, or from the last subscription if that is more than 100 ms earlier.

            Each value is written to the file as it arrives, so that nothing is lost when the program is killed. It stops \
            after --count or --for, or on Ctrl-C; with status 5 when the connection is lost; and with status 1 when the \
            file reaches dittojay's limit of \(RecordingLimits.maximumValues) values or \
            \(RecordingLimits.longestFile >> 20) MiB.
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var notifications: NotificationOptions

    @Option(name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    @Option(name: .customLong("for"), help: ArgumentHelp("Exit after this time.", valueName: "seconds"))
    var duration: Double?

    @Option(help: "Exit after this many values; with --for, fewer are a failure (status 3).")
    var count: Int?

    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws {
        if let count, !(1...RecordingLimits.maximumValues).contains(count) {
            throw ValidationError("--count must be from 1 to \(RecordingLimits.maximumValues)")
        }
        if let duration, !(duration > 0 && duration <= RecordingLimits.longest) {
            throw ValidationError("--for must be a number of seconds above 0 and at most a week")
        }
        try overwriting.check(output)
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options, notifications: notifications, endsByInterruption: count == nil) {
            try await command.record($0)
        }
    }

    @MainActor
    private func record(_ context: CommandContext) async throws {
        let reader = DeviceReader(context, target, answerTimeout: answer.timeout)
        let opened = try await reader.read()
        guard opened.characteristics.contains(where: \.attribute.properties.isSubscribable) else {
            throw CommandError(
                .noSuchCharacteristic,
                "\(target.device) has nothing that notifies or indicates; \"bluejay clone\" reads the rest")
        }
        opened.device.reportLosses()
        let text = ProfileText(opened.device)
        let file = try RecordingFile(output, overwrites: overwriting.force, begin: text.lines)
        let recording = DeviceRecording(.init(opened, text), file: file, output: context.output, count: count) {
            .init(try await reader.open(again: opened), text)
        }
        context.onEnd = {
            recording.finish()
            guard recording.hasBegun else { return }
            context.output.event(
                "recorded", "\(output): \(opened.device.contents), \(recording.contents)"
            ) { object in
                object.add("file", output)
                opened.device.add(to: &object)
                recording.add(to: &object)
            }
        }
        try await recording.run(for: duration)
    }
}

extension DeviceRecording.Device {
    /// What notifies or indicates, by its names in a profile.
    @MainActor
    fileprivate init(_ opened: OpenedDevice, _ text: ProfileText) {
        self.init(
            connection: opened.connection,
            senders: opened.characteristics.filter { $0.attribute.properties.isSubscribable }.map { characteristic in
                .init(attribute: characteristic.attribute, reference: text.reference(to: characteristic.place))
            })
    }
}
