import ArgumentParser
import Dittojay

/// What everything that runs in a terminal takes: where it listens for commands, and what it prints.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where to listen for commands.", valueName: "path"))
    var socket: String?

    @Flag(help: "Do not listen for commands.")
    var noSocket = false

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    @Flag(help: "Print nothing but errors.")
    var quiet = false

    /// Nil: nowhere.
    var controlSocket: ControlSocketAddress? { noSocket ? nil : ControlSocketAddress(path: socket) }
}
