import ArgumentParser
import Dittojay
import DittojayUI
import Foundation
import LineOutput
import MainLoop
import PlainText

/// The options of commands that look at running dittojays.
struct SubjectOptions: ParsableArguments {
    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp("The control socket of a running dittojay; may be repeated.", valueName: "path"))
    var sockets: [String] = []

    /// The paths of the control sockets.
    var paths: [String] {
        sockets.isEmpty ? [ControlSocketAddress().path] : sockets
    }
}

struct UICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ui", abstract: "Serve a web page that shows and controls running peripherals.",
        discussion: """
            Prints the page's address, for a browser on this machine, and serves it until Ctrl-C. The address contains a \
            secret that grants access. dittojay need not be running yet.
            """)
    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("TCP port on 127.0.0.1 (default: a free one).", valueName: "number"))
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("Control socket of the virtual radio, for the map.", valueName: "path"))
    var radio: String?

    @Flag(help: "Print the address as one JSON object.")
    var json = false

    func run() throws {
        let end = SignalWatch.End()
        let queue = DispatchQueue(label: "dittojay.ui")
        let server = PageServer(
            .init(
                sockets: subject.paths,
                radio: radio ?? PageServer.usualRadio(environment: ProcessInfo.processInfo.environment)),
            queue: queue)
        let address: String
        do {
            address = try queue.sync { try server.start(port: port) }
        } catch {
            StandardError.write("dittojay: \(error)")
            throw ExitCode.failure
        }
        if json {
            var object = JSONObject()
            object.add("url", address)
            try StandardOutput.write(object)
        } else {
            try StandardOutput.write(["The page is at \(address)", "Press Ctrl-C to stop."])
        }
        end.wait()
        queue.sync { server.stop() }
    }
}
