import ArgumentParser
import Dittojay

/// What everything that runs in a terminal takes: where it listens for commands, and what it prints.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Control socket to listen on for commands.", valueName: "path"))
    var socket: String?

    @Flag(help: "Do not open a control socket.")
    var noSocket = false

    @Flag(help: "Print events as JSON, one object per line.")
    var json = false

    @Flag(help: "Print only errors.")
    var quiet = false

    /// Nil: nowhere.
    var controlSocket: ControlSocketAddress? { noSocket ? nil : ControlSocketAddress(path: socket) }
}
