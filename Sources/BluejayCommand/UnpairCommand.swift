import ArgumentParser
import BlueZ
import CommandSupport
import CoreBluetooth
import Foundation
import LineOutput
import MainLoop
import PlainText

struct UnpairCommand: AsyncParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpair", abstract: "Remove the pairing with a device from this machine.",
        discussion: """
            For a device that lost its keys or was paired with another owner: otherwise bluetoothd does not let it pair \
            again. The device is disconnected. The pairing must also be removed on the device.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address (default: all).", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Argument(help: "An address, an identifier or a name.")
    var device: String

    @OptionGroup var logOptions: LogOptions

    func run() async throws {
        let selector = DeviceSelector(device)
        do {
            let addresses = try await BlueZSession.shared.unpair(
                on: adapter
                    ?? ProcessInfo.processInfo.environment["BLUETOOTH_ADAPTER"].flatMap { $0.isEmpty ? nil : $0 }
            ) { selector.names($0) }
            guard !addresses.isEmpty else {
                throw CommandError(.notInTime, "no device \(device) is paired with this machine")
            }
            for address in addresses {
                try report(address)
            }
        } catch let error as OutputError {
            throw error
        } catch {
            let failure =
                error as? CommandError ?? CommandError(.bluetoothUnavailable, "cannot unpair \(device): \(error)")
            if json { try StandardOutput.write(failure.object) }
            StandardError.write("bluejay: \(failure.message)")
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func report(_ address: String) throws {
        guard json else { return try StandardOutput.write(["unpaired \(address)"]) }
        var object = JSONObject()
        object.add("unpaired", address)
        try StandardOutput.write(object)
    }
}

extension DeviceSelector {
    /// Whether it means a device that bluetoothd knows.
    @LoopActor
    func names(_ device: Device) -> Bool {
        switch self {
        case .identifiers(let identifiers, _):
            identifiers.contains { CBPeer.bluetoothAddress(forIdentifier: $0) == device.address }
        case .name(let name): device.name == name || device.alias == name
        }
    }
}
