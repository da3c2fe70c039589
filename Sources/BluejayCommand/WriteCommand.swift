import ArgumentParser
import CommandSupport
import CoreBluetooth
import GATTProfiles
import LineOutput
import PlainText

struct WriteCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value to a characteristic or a descriptor.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions
    @OptionGroup var answer: AnswerOptions

    @Argument(help: "hex:0A0B, text:hello, u8:1, u16:1, i32:-1, u16be:1, … or empty.")
    var value: String

    @Flag(
        help:
            "Write without response (default: with response if the characteristic supports it).")
    var withoutResponse = false

    @Option(name: .customLong("repeat"), help: "Write this many times, then print the timing.")
    var repetitions = 1

    func validate() throws {
        guard repetitions >= 1 else { throw ValidationError("--repeat must be at least 1") }
        do throws(ValueText.ParsingError) {
            let count = try ValueText.parse(value).count
            guard count <= LabService.maximumValueLength else {
                throw .init(description: "value too long: \(count) bytes (limit \(LabService.maximumValueLength))")
            }
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.write($0) }
    }

    @MainActor
    private func write(_ context: CommandContext) async throws {
        try await subject.ask(context, answerTimeout: answer.timeout) { connection, target in
            try await write(target, of: connection, context)
        }
    }

    @MainActor
    private func write(
        _ target: ValueAttribute, of connection: DeviceConnection, _ context: CommandContext
    ) async throws {
        let bytes = Data(try ValueText.parse(value))
        let command = try connection.commandTarget(target, ofLength: bytes.count, withoutResponse: withoutResponse)
        var latencies = Latencies()
        for _ in 0..<repetitions {
            let start = ContinuousClock.now
            if let command {
                try await connection.writeWithoutResponse(bytes, to: command)
            } else {
                try await connection.write(bytes, to: target)
            }
            latencies.add(ContinuousClock.now - start)
        }
        // Values that were handed over have not been sent yet: disconnecting now would lose them.
        if let command { try await connection.waitForRoom(command) }
        if !options.json, repetitions == 1 { return }
        context.output.print(latencies.text) { object in
            object.add("time", Timestamp.now.utc)
            connection.add(target, to: &object)
            object.add("written", ValueText.hex(bytes))
            if repetitions > 1 { latencies.add(to: &object) }
        }
    }
}

extension DeviceConnection {
    /// The characteristic if it has to be written without response; nil if with one.
    ///
    /// - Throws: ``CommandError`` if the value cannot be written that way.
    func commandTarget(
        _ target: ValueAttribute, ofLength count: Int, withoutResponse: Bool
    ) throws -> CBCharacteristic? {
        let attempt = "cannot write \(name(of: target))"
        switch target {
        case .descriptor(let descriptor):
            if withoutResponse {
                throw CommandError(.failed, attempt: attempt, "a descriptor cannot be written without response")
            }
            if descriptor.uuid == CBUUID(string: CBUUIDClientCharacteristicConfigurationString) {
                throw CommandError(.failed, attempt: attempt, "use \"bluejay listen\" to turn notifications on")
            }
            return nil
        case .characteristic(let characteristic):
            let properties = characteristic.properties
            let isCommand =
                withoutResponse || (!properties.contains(.write) && properties.contains(.writeWithoutResponse))
            let length = isCommand ? peripheral.commandCapacity : peripheral.maximumWriteValueLength(for: .withResponse)
            guard count <= length else {
                throw CommandError(
                    .failed, attempt: attempt,
                    "value too long: \(count) bytes (limit \(length) for this kind of write)")
            }
            if isCommand, !properties.contains(.writeWithoutResponse) {
                throw CommandError(.failed, attempt: attempt, "it cannot be written without response")
            }
            return isCommand ? characteristic : nil
        }
    }
}
