import ArgumentParser
import DittojayUI
import Foundation
import LineOutput

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Show running peripherals live in this terminal, until q or Ctrl-C.")
    @OptionGroup var subject: SubjectOptions

    func run() throws {
        let screen: TerminalScreen
        do {
            screen = try TerminalScreen(kind: ProcessInfo.processInfo.environment["TERM"])
        } catch {
            StandardError.write("dittojay: \(error)")
            throw ExitCode.failure
        }
        let queue = DispatchQueue(label: "dittojay.top")
        let session = TopSession(sockets: subject.paths, screen: screen, queue: queue) { Foundation.exit(0) }
        queue.async { session.start() }
        dispatchMain()
    }
}
