import ArgumentParser
import CoreBluetooth
import GATTProfiles
import LineOutput
import MainLoop
import PlainText

struct ListenCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Subscribe to a characteristic and print its values, one per line.",
        discussion: "Exits with status 3 if fewer than --count values were received within --timeout.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var subject: CharacteristicOptions
    @OptionGroup var subscription: SubscriptionOptions
    @OptionGroup var notifications: NotificationOptions

    @Option(help: "Exit after this many values.")
    var count: Int?

    @Option(help: ArgumentHelp("Exit this long after connecting.", valueName: "seconds"))
    var timeout: Double?

    @Option(help: "The format of the values: \(ValueFormat.allValueStrings.joined(separator: ", ")).")
    var format = ValueFormat.auto

    @Flag(help: "Print only the values' bytes in hexadecimal, without time and name.")
    var raw = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if let timeout, !(timeout > 0 && timeout <= 1e6) {
            throw ValidationError("--timeout must be a number of seconds above 0")
        }
    }

    func run() async throws {
        let command = self
        await CommandContext.run(options, notifications: notifications, endsByInterruption: count == nil) {
            try await command.listen($0)
        }
    }

    @MainActor
    private func listen(_ context: CommandContext) async throws {
        try await subject.ask(context, answerTimeout: subscription.answerTimeout) { connection, target in
            try await listen(to: target, of: connection, context)
        }
    }

    @MainActor
    private func listen(
        to target: ValueAttribute, of connection: DeviceConnection, _ context: CommandContext
    ) async throws {
        guard case .characteristic(let characteristic) = target else {
            throw CommandError(
                .noSuchCharacteristic, "\(connection.name(of: target)) is a descriptor: it sends no values")
        }
        let printer = ValuePrinter(characteristic, of: connection, output: context.output, format: format, isRaw: raw)
        let listening = Listening(to: characteristic, on: connection, count: count) { event in
            switch event {
            case .value(let value): printer.print(value)
            case .loss: context.output.report(lossOf: characteristic, of: connection.table)
            }
        }
        try await listening.run(timeout: timeout)
    }
}

/// Listens to one particular characteristic until there is a reason to end.
@MainActor
private final class Listening {
    enum Event {
        case value(Data)
        case loss
    }

    private let characteristic: CBCharacteristic
    private let connection: DeviceConnection
    private let count: Int?
    private let take: (Event) -> Void
    private let name: String
    private var received = 0
    private var isSubscribed = false
    /// Events from before it was known that notifications are on.
    private var earlyEnd: (any Error)?
    private let end = FirstOutcome<End>()

    private enum End: Swift.Sendable {
        case done
        case timeIsUp
        case failed(any Error)
    }

    init(
        to characteristic: CBCharacteristic, on connection: DeviceConnection, count: Int?,
        take: @escaping (Event) -> Void
    ) {
        self.characteristic = characteristic
        self.connection = connection
        self.count = count
        self.take = take
        name = connection.name(of: .characteristic(characteristic))
    }

    /// - Parameter timeout: the seconds after which it ends.
    func run(timeout: Double?) async throws {
        connection.link.onEvent = { [weak self] in self?.handle($0) }
        defer { connection.link.onEvent = nil }
        Task { await subscribe() }
        switch await end.value(within: timeout.map { .seconds($0) }, otherwise: .timeIsUp) {
        case .done: break
        case .timeIsUp:
            guard let count, let timeout else { break }
            throw CommandError(
                .notInTime, "received only \(received) of \(count) values of \(name) in \(inSeconds(timeout))")
        case .failed(let error): throw error
        }
    }

    private func subscribe() async {
        do {
            try await connection.subscribe(to: characteristic)
            isSubscribed = true
            if let earlyEnd { stop(earlyEnd) }
        } catch {
            end.report(.failed(error))
        }
    }

    private var noMore: String { "stopped after \(counted(received, "value")) of \(name)" }

    private func handle(_ event: AsyncPeripheral.Event) {
        switch event {
        case .value(let value, let source) where source === characteristic: receive(value)
        case .loss(let source) where source === characteristic: take(.loss)
        case .servicesChanged(let removed) where removed.contains { $0 === characteristic.service }:
            stop(CommandError(.noSuchCharacteristic, attempt: noMore, "the device removed the service"))
        case .end(let reason): stop(reason)
        case .value, .loss, .servicesChanged: break
        }
    }

    private func receive(_ value: Data) {
        guard !end.isKnown else { return }
        take(.value(value))
        received += 1
        if received == count { end.report(.done) }
    }

    private func stop(_ error: any Error) {
        // If this is why there is no subscription, the request for it reports it.
        guard isSubscribed else { return earlyEnd = error }
        end.report(.failed(CommandError(error, attempt: noMore)))
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
    private let path: String

    init(
        _ characteristic: CBCharacteristic, of connection: DeviceConnection, output: Output, format: ValueFormat,
        isRaw: Bool
    ) {
        self.output = output
        self.format = format
        self.isRaw = isRaw
        uuid = characteristic.uuid.uuidString
        label = characteristic.label
        path = connection.table.path(of: characteristic)
    }

    func print(_ value: Data) {
        if !output.isJSON, isRaw { return output.print(ValueText.hex(value)) { _ in } }
        output.event("value", "\(label) \(format.text(value, of: uuid))") { object in
            object.add("characteristic", path)
            object.add("value", ValueText.hex(value))
            if !isRaw { object.addMeaning(of: value, uuid: uuid) }
        }
    }
}

extension Output {
    /// Reports that values of a characteristic are missing: in JSON in their place, otherwise where nobody takes the
    /// message for a value.
    func report(lossOf characteristic: CBCharacteristic, of table: AttributeTable) {
        let loss = characteristic.notificationLoss
        guard isJSON else { return StandardError.write("bluejay: \(characteristic.label): \(loss)") }
        event("loss", "") { object in
            object.add("characteristic", table.path(of: characteristic))
            object.add("droppedValues", loss.droppedValues)
            object.add("fullSockets", loss.fullSockets)
        }
    }
}
