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
        help: ArgumentHelp("The control socket of a running dittojay; may be given several times.", valueName: "path"))
    var sockets: [String] = []

    /// The paths of the control sockets.
    var paths: [String] {
        sockets.isEmpty ? [ControlSocketAddress().path] : sockets
    }
}

struct UICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ui", abstract: "Serve a page that shows running dittojays and controls them.",
        discussion: """
            It prints the page's address, for a browser on this machine, and serves until Ctrl-C. The address has a secret: \
            only who knows it can see and do something. The dittojays need not run yet.
            """)
    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The port of 127.0.0.1; default: one that is free.", valueName: "number"))
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("The control socket of the virtual radio, for the map.", valueName: "path"))
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
            try StandardOutput.write(["The page is at \(address)", "Ctrl-C ends it."])
        }
        end.wait()
        queue.sync { server.stop() }
    }
}
