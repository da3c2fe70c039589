import ArgumentParser
import CommandSupport
import CoreBluetooth
import GATTProfiles
import LineOutput
import PlainText

struct ReadCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read a characteristic or a descriptor and print its value.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions
    @OptionGroup var answer: AnswerOptions

    @Option(help: "The format of the value: \(ValueFormat.allValueStrings.joined(separator: ", ")).")
    var format = ValueFormat.auto

    @Option(name: .customLong("repeat"), help: "Read this many times, then print the last value and the timing.")
    var repetitions = 1

    func validate() throws {
        guard repetitions >= 1 else { throw ValidationError("--repeat must be at least 1") }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.read($0) }
    }

    @MainActor
    private func read(_ context: CommandContext) async throws {
        try await subject.ask(context, answerTimeout: answer.timeout) { connection, target in
            try await read(target, of: connection, context)
        }
    }

    @MainActor
    private func read(_ target: ValueAttribute, of connection: DeviceConnection, _ context: CommandContext) async throws
    {
        var value = Data()
        var latencies = Latencies()
        for _ in 0..<repetitions {
            let start = ContinuousClock.now
            value = try await connection.read(target)
            latencies.add(ContinuousClock.now - start)
        }
        let uuid = target.attribute.uuid.uuidString
        context.output.print(format.text(value, of: uuid)) { object in
            object.add("time", Timestamp.now.utc)
            connection.add(target, to: &object)
            object.add("value", ValueText.hex(value))
            object.addMeaning(of: value, uuid: uuid)
            if repetitions > 1 { latencies.add(to: &object) }
        }
        if repetitions > 1, !options.json { context.output.print(latencies.text) { _ in } }
    }
}
