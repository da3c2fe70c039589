import ArgumentParser
import Dittojay
import LineOutput

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show events as they happen, until dittojay stops.",
        discussion: "Events that are not read in time are dropped; a line in their place reports how many.")

    @Option(help: ArgumentHelp("The control socket of the running dittojay.", valueName: "path"))
    var socket: String?

    @OptionGroup var peripheral: PeripheralOption

    @Flag(help: "Print events as JSON, one object per line.")
    var json = false

    func run() throws {
        do {
            try ControlClient.follow(ControlSocketAddress(path: socket), peripheral: peripheral.id) { line in
                let text = String(decoding: line, as: UTF8.self)
                if json {
                    try StandardOutput.write(verbatim: text + "\n")
                } else {
                    try StandardOutput.write([PeripheralEvent.text(ofLine: line) ?? text])
                }
            }
        } catch let error as DittojayError {
            StandardError.write("dittojay: \(error)")
            if json { try StandardOutput.write(ControlReply(error: error.description).json) }
            throw ExitCode(error.exitStatus)
        }
    }
}
