import ArgumentParser
import Bluejay
import GATTProfiles
import LineOutput

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Print the values that a characteristic sends, one a line.",
        discussion: "Ends with 3 if fewer than --count values came within --timeout.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions
    @OptionGroup var notifications: NotificationOptions

    @Option(help: "End after so many values.")
    var count: Int?

    @Option(help: ArgumentHelp("End after so long, counted from the connection.", valueName: "seconds"))
    var timeout: Double?

    @Option(help: "The form of the values: \(ValueFormat.allValueStrings.joined(separator: ", ")).")
    var format = ValueFormat.auto

    @Flag(help: "Print the values' bytes only, in hexadecimal, without time and name.")
    var raw = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1") }
        if let timeout, !(timeout > 0 && timeout <= 1e6) {
            throw ValidationError("--timeout is a number of seconds above 0")
        }
    }

    func run() async throws {
        let command = self
        await Session.run(options, notifications: notifications, endsByInterruption: count == nil) {
            try await command.listen($0)
        }
    }

    @MainActor
    private func listen(_ session: Session) async throws {
        let characteristic = try await subject.open(session).characteristic
        let identifier = try session.identifier(of: characteristic)
        let printer = ValuePrinter(characteristic, output: session.output, format: format, isRaw: raw)
        var received = 0
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var waiting: CheckedContinuation<Void, any Error>? = continuation
            func finish(_ failure: Failure? = nil) {
                let continuation = waiting
                waiting = nil
                if let failure { continuation?.resume(throwing: failure) } else { continuation?.resume() }
            }
            session.onDisconnect = {
                finish(Failure(.connectionFailed, "the connection was lost after \(received) values"))
            }
            if let timeout {
                DispatchQueue.main.asyncAfter(deadline: .now() + timeout) {
                    MainActor.assumeIsolated {
                        guard let count else { return finish() }
                        finish(Failure(.notInTime, "only \(received) of \(count) values came in \(timeout) s"))
                    }
                }
            }
            session.bluejay.listen(to: identifier) { (result: ReadResult<Data>) in
                guard waiting != nil else { return }
                switch result {
                case .success(let value):
                    printer.print(value)
                    received += 1
                    if received == count { finish() }
                case .failure(BluejayError.missingData): break
                case .failure(let error):
                    let attempt = received == 0 ? "cannot listen to" : "no more values after \(received) of"
                    finish(Failure(error, attempt: "\(attempt) \(characteristic.label)"))
                }
            }
        }
        session.onDisconnect = nil
    }
}

/// Prints the values of one characteristic, thousands a second if need be.
@MainActor
private final class ValuePrinter {
    private let output: Output
    private let format: ValueFormat
    private let isRaw: Bool
    private let uuid: String
    private let label: String
    private let path: String?

    init(_ characteristic: CBCharacteristic, output: Output, format: ValueFormat, isRaw: Bool) {
        self.output = output
        self.format = format
        self.isRaw = isRaw
        uuid = characteristic.uuid.uuidString
        label = characteristic.label
        path = characteristic.path
    }

    func print(_ value: Data) {
        if !output.isJSON, isRaw { return output.print(ValueText.hex(value)) { _ in } }
        output.event("value", "\(label) \(format.text(value, of: uuid))") { object in
            object.add("characteristic", path)
            object.add("value", ValueText.hex(value))
            if !isRaw { KnownValue(value, ofCharacteristic: uuid)?.add(to: &object) }
        }
    }
}
