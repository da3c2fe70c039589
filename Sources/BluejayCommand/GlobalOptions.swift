import ArgumentParser
import CommandSupport
import CoreBluetooth

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @OptionGroup var log: LogOptions
}

/// A command that uses Bluetooth as a central.
protocol CentralCommand: AsyncParsableCommand, LoggingCommand {
    var options: GlobalOptions { get }
}

extension CentralCommand {
    var logOptions: LogOptions { options.log }
}

/// The options of every command that takes notifications.
struct NotificationOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Receive notifications from sockets instead of D-Bus.",
            discussion: """
                Uses less CPU at high rates; no other program receives them meanwhile. Values that the device sends \
                before it confirms the subscription are lost. Later values are lost only on a machine that is too \
                busy to read them for about 100 ms, and possible losses are reported.
                """))
    var sockets = false
}

/// The options of every command that connects.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "An address, an identifier or a name.")
    var device: String

    @Option(
        help: ArgumentHelp(
            "Timeout for finding the device, connecting to it and discovering its services, all together.",
            valueName: "seconds"))
    var connectTimeout = 20.0

    func validate() throws {
        guard connectTimeout > 0, connectTimeout <= 1e6 else {
            throw ValidationError("--connect-timeout must be a number of seconds above 0")
        }
        guard !device.isEmpty else { throw ValidationError("DEVICE is empty") }
    }

    var selector: DeviceSelector { DeviceSelector(device) }
}

/// The option of every command that asks the device something.
struct AnswerOptions: ParsableArguments {
    /// Shorter than the 30 s after which bluetoothd gives up on a request and ends the connection.
    static let defaultTimeout = 20.0

    @Option(
        name: [.customLong("timeout"), .customLong("answer-timeout")],
        help: ArgumentHelp("Timeout for the device's answer to a request.", valueName: "seconds"))
    var timeout = defaultTimeout

    func validate() throws { try validateSeconds(timeout, of: "--timeout") }
}

/// The same for commands that have another `--timeout`.
struct SubscriptionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Timeout for the device's answer to the subscription.", valueName: "seconds"))
    var answerTimeout = AnswerOptions.defaultTimeout

    func validate() throws { try validateSeconds(answerTimeout, of: "--answer-timeout") }
}

private func validateSeconds(_ seconds: Double, of option: String) throws {
    guard seconds > 0, seconds <= 1e6 else { throw ValidationError("\(option) must be a number of seconds above 0") }
}
