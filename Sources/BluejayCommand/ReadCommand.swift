import ArgumentParser
import Bluejay
import GATTProfiles
import LineOutput

/// The arguments of a command about one characteristic.
struct CharacteristicOptions: ParsableArguments {
    @OptionGroup var target: DeviceOptions

    @Argument(help: "SERVICE/CHARACTERISTIC or CHARACTERISTIC, each a UUID or a name.")
    var characteristic: String

    func validate() throws {
        guard AttributePath(characteristic) != nil else {
            throw ValidationError("\(characteristic) is not SERVICE/CHARACTERISTIC or CHARACTERISTIC")
        }
    }

    /// Connects and finds the characteristic.
    @MainActor
    func open(_ session: Session) async throws -> (direct: DirectPeripheral, characteristic: CBCharacteristic) {
        guard let path = AttributePath(characteristic) else { throw Failure(.noSuchCharacteristic, characteristic) }
        try await session.connect(target.selector, timeout: target.connectTimeout)
        let direct = try await session.discoverEverything()
        return (direct, try direct.characteristic(path))
    }
}

struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read a characteristic and print its value.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions

    @Option(help: "The form of the value: \(ValueFormat.allValueStrings.joined(separator: ", ")).")
    var format = ValueFormat.auto

    @Option(name: .customLong("repeat"), help: "Read so many times and print how long it took, after the last value.")
    var repetitions = 1

    func validate() throws {
        guard repetitions >= 1 else { throw ValidationError("--repeat is at least 1") }
    }

    func run() async throws {
        let command = self
        await Session.run(options) { try await command.read($0) }
    }

    @MainActor
    private func read(_ session: Session) async throws {
        let characteristic = try await subject.open(session).characteristic
        var value = Data()
        var latencies = Latencies()
        for _ in 0..<repetitions {
            let start = ContinuousClock.now
            value = try await session.read(characteristic)
            latencies.add(ContinuousClock.now - start)
        }
        let uuid = characteristic.uuid.uuidString
        session.output.print(format.text(value, of: uuid)) { object in
            object.add("time", Timestamp.now.utc)
            object.add("characteristic", characteristic.path)
            object.add("name", characteristic.uuid.name)
            object.add("value", ValueText.hex(value))
            KnownValue(value, ofCharacteristic: uuid)?.add(to: &object)
            if repetitions > 1 { latencies.add(to: &object) }
        }
        if repetitions > 1, !options.json { session.output.print(latencies.text) { _ in } }
    }
}
