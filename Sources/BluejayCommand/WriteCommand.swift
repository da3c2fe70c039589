import ArgumentParser
import Bluejay
import GATTProfiles
import LineOutput

struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value to a characteristic.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions

    @Argument(help: "hex:0A0B, text:hello, u8:1, u16:1, i32:-1, u16be:1, … or empty.")
    var value: String

    @Flag(
        help:
            "Do not ask for the device's answer; without this flag it is asked for where the characteristic allows it.")
    var withoutResponse = false

    @Option(name: .customLong("repeat"), help: "Write so many times and print how long it took.")
    var repetitions = 1

    func validate() throws {
        guard repetitions >= 1 else { throw ValidationError("--repeat is at least 1") }
        do throws(ValueText.ParsingError) {
            let count = try ValueText.parse(value).count
            guard count <= LabService.maximumValueLength else {
                throw .init(description: "a value has at most \(LabService.maximumValueLength) bytes, not \(count)")
            }
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() async throws {
        let command = self
        await Session.run(options) { try await command.write($0) }
    }

    @MainActor
    private func write(_ session: Session) async throws {
        let bytes = Data(try ValueText.parse(value))
        let (direct, characteristic) = try await subject.open(session)
        let properties = characteristic.properties
        let isCommand = withoutResponse || (!properties.contains(.write) && properties.contains(.writeWithoutResponse))
        let length = direct.peripheral.maximumWriteValueLength(for: isCommand ? .withoutResponse : .withResponse)
        guard bytes.count <= length else {
            throw Failure(.failed, "\(bytes.count) bytes are more than the \(length) that can be written this way")
        }
        if isCommand, !properties.contains(.writeWithoutResponse) {
            throw Failure(.failed, "\(characteristic.label) cannot be written without response")
        }
        var latencies = Latencies()
        if isCommand, repetitions > 1 {
            try await session.flood(bytes, to: characteristic, count: repetitions) { latencies.add($0) }
        } else {
            for _ in 0..<repetitions {
                let start = ContinuousClock.now
                try await session.write(bytes, to: characteristic, type: isCommand ? .withoutResponse : .withResponse)
                latencies.add(ContinuousClock.now - start)
            }
        }
        if !options.json, repetitions == 1 { return }
        session.output.print(latencies.text) { object in
            object.add("time", Timestamp.now.utc)
            object.add("characteristic", characteristic.path)
            object.add("name", characteristic.uuid.name)
            object.add("written", ValueText.hex(bytes))
            if repetitions > 1 { latencies.add(to: &object) }
        }
    }
}

extension Session {
    /// Writes without response again and again, as fast as the link takes it and no faster.
    func flood(
        _ value: Data, to characteristic: CBCharacteristic, count: Int, _ written: (Duration) -> Void
    ) async throws {
        let state = bluejay.stopAndExtractBluetoothState()
        guard let peripheral = state.peripheral else {
            startBluejay(peripheral: nil)
            throw Failure(.connectionFailed, "the connection was lost")
        }
        let direct = DirectPeripheral(peripheral, manager: manager)
        defer {
            direct.release()
            startBluejay(peripheral: peripheral)
        }
        do {
            for _ in 0..<count {
                let start = ContinuousClock.now
                try await direct.waitForRoom()
                peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
                written(ContinuousClock.now - start)
            }
            // What is handed over has not been sent yet: disconnecting now would lose it.
            try await direct.waitForRoom()
        } catch {
            throw Failure(error, attempt: "cannot write \(characteristic.label)")
        }
    }
}
