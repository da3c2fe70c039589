import ArgumentParser
import BlueZ
import CommandSupport
import Dittojay
import Foundation
import LineOutput
import PlainText

struct UnpairCommand: ParsableCommand, LoggingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpair", abstract: "Remove the pairing with a central from this machine.",
        discussion: """
            For a central that lost its keys: otherwise bluetoothd does not let it pair again. The central is disconnected. \
            dittojay need not be running.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address (default: all).", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(help: "Remove the pairing with all devices.")
    var all = false

    @Argument(help: "The central's address.")
    var central: String?

    @OptionGroup var logOptions: LogOptions

    func validate() throws {
        guard all != (central != nil) else { throw ValidationError("specify an address, or --all") }
    }

    func run() throws {
        let command = self
        Task {
            do {
                try await command.unpair()
            } catch {
                DittojayProgram.end(with: error)
            }
            DittojayProgram.end(with: nil)
        }
        dispatchMain()
    }

    private func unpair() async throws {
        let addresses: [String]
        do {
            addresses = try await BlueZSession.shared.unpair(on: adapter ?? AdapterVariable.chosen.adapter) { device in
                central.map { device.address.caseInsensitiveCompare($0) == .orderedSame } ?? true
            }
        } catch {
            throw failure("cannot unpair: \(error)", DittojayError.bluetoothStatus)
        }
        if addresses.isEmpty, let central { throw failure("\(central) is not paired with this machine", 1) }
        for address in addresses { try report(address) }
    }

    private func report(_ address: String) throws {
        guard json else { return try StandardOutput.write(["unpaired \(address)"]) }
        var object = JSONObject()
        object.add("unpaired", address)
        try StandardOutput.write(object)
    }

    private func failure(_ message: String, _ status: Int32) -> any Error {
        if json {
            var object = JSONObject()
            object.add("error", message)
            do throws(OutputError) { try StandardOutput.write(object) } catch { return error }
        }
        StandardError.write("dittojay: \(message)")
        return ExitCode(status)
    }
}
