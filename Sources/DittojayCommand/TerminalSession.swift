import Dittojay
import Foundation
import LineOutput

/// A peripheral with a terminal, or pipes, around it: prints its events, takes commands and signals, and ends the
/// process.
// @unchecked: everything happens on the peripheral's queue.
final class TerminalSession: @unchecked Swift.Sendable {
    private let peripheral: VirtualPeripheral
    private let output: LineWriter
    private let json: Bool
    private let quiet: Bool
    private let junit: String?
    private let record: EventRecord?
    private var input: CommandInput?
    private var signals: [any DispatchSourceSignal] = []
    private var isEnding = false
    /// Whether a signal ends it: then it ends soon, whatever its output waits for.
    private var isInterrupted = false
    /// Lines that came before the peripheral was ready; nil from then on.
    private var early: [String]? = []

    /// How many bytes may wait for the reader of the output: some 5,000 events.
    private static let outputCapacity = 1 << 20
    /// How long bluetoothd may take to put everything back before the process ends all the same.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// How long the reader of the output may take to read what waits at the end.
    private static let readerPatience = DispatchTimeInterval.seconds(5)
    /// The same after a signal.
    private static let interruptedReaderPatience = DispatchTimeInterval.milliseconds(500)

    /// - Parameters:
    ///   - junit: the path of the file for the report of a scenario that expects something.
    ///   - record: gets all events, whatever is printed.
    init(
        _ peripheral: VirtualPeripheral, json: Bool, quiet: Bool, junit: String? = nil, record: EventRecord? = nil
    ) {
        self.record = record
        self.peripheral = peripheral
        self.json = json
        self.quiet = quiet
        self.junit = junit
        output = LineWriter(descriptor: STDOUT_FILENO, capacity: Self.outputCapacity, queue: peripheral.queue)
    }

    func start() {
        peripheral.queue.async { [self] in
            watchSignals()
            output.onFailure = { [self] error in outputHasFailed(error) }
            output.dropNotice = { [json] count in Self.notice(ofDropped: count, json: json) }
            peripheral.droppedLines = { [output] in output.droppedLines }
            record?.onFailure = { [self] error in outputHasFailed(error) }
            if quiet, record == nil {
                peripheral.onEvent = nil
            } else {
                peripheral.onEvent = { [self] event in
                    record?.write(event)
                    if !quiet { show(event) }
                }
            }
            peripheral.onReady = { [self] in executeEarlyLines() }
            peripheral.onEnd = { [self] error in exit(with: error) }
            input = CommandInput(
                queue: peripheral.queue, show: { [output] bytes in output.write(verbatim: bytes) },
                handler: { [self] line in execute(line) })
            peripheral.start()
        }
    }

    // MARK: Output

    private func show(_ event: PeripheralEvent) {
        // Failures are shown on standard error, so that they are seen whatever happens to the output.
        if event.kind == .failed, !json { return StandardError.write("dittojay: \(event.message ?? "")") }
        if json { output.write(event.json) } else { output.write(event.text) }
    }

    private func exit(with ending: DittojayError?) {
        var error = ending
        if let report = peripheral.scenarioReport {
            show(report)
            if let junit, let failure = write(report, to: junit) { error = error ?? failure }
        }
        if let error {
            let advice =
                error.exitStatus == DittojayError.bluetoothStatus ? "; \"dittojay doctor\" says what to do" : ""
            StandardError.write("dittojay: \(error)\(advice)")
        }
        guard let record else { return finish(error) }
        record.finish(within: Self.readerPatience) { [self] loss in
            if let loss { StandardError.write("dittojay: \(loss)") }
            finish(error, otherwise: loss == nil ? 0 : OutputError.exitStatus)
        }
    }

    /// - Parameter status: the exit status if nothing else has gone wrong.
    private func finish(_ error: DittojayError?, otherwise status: Int32 = 0) {
        // A reader that has stopped must not keep the program alive: another signal may come.
        output.finish(within: isInterrupted ? Self.interruptedReaderPatience : Self.readerPatience) { [self] loss in
            input?.stop()
            guard let loss, !loss.isByTheReader else { Foundation.exit(error?.exitStatus ?? status) }
            // A failed write was reported when it failed.
            if case .notTaken = loss.reason { StandardError.write("dittojay: \(loss)") }
            Foundation.exit(error?.exitStatus ?? OutputError.exitStatus)
        }
    }

    /// Ends in order: output that nobody can see is of no use.
    private func outputHasFailed(_ error: OutputError) {
        if !error.isByTheReader { StandardError.write("dittojay: \(error)") }
        if !isEnding { end() }
    }

    /// Programs that read the output get its JSON only, and whoever wants to see nothing but errors sees a failure.
    private func show(_ report: ScenarioReport) {
        if !json, !quiet {
            output.write(lines: report.text)
        } else if !report.hasPassed {
            StandardError.write(lines: report.text)
        }
    }

    private func write(_ report: ScenarioReport, to path: String) -> DittojayError? {
        if path == "-" {
            output.write(verbatim: Array(report.junit.utf8))
            return nil
        }
        do {
            try Data(report.junit.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            return nil
        } catch {
            return .reportNotWritten("cannot write \(path): \(error.localizedDescription)")
        }
    }

    private static func notice(ofDropped count: Int, json: Bool) -> String {
        let time = Timestamp.now
        guard json else { return "\(time.timeOfDay) dropped \(counted(count, "line")) that nobody read in time" }
        return PeripheralEvent.notice(ofDropped: count).text
    }

    // MARK: Commands

    private static let help = [
        "c [VALUE]  chirp; VALUE is a text, hex:0102 or the like",
        "set NAME VALUE, send NAME VALUE  change what reads of a characteristic give; notify its subscribers",
        "+ [NAME]   add a service; default: chirp; + all",
        "- [NAME]   remove a service; default: chirp; - all",
        "advertise off, advertise on, power off, power on",
        "s          status",
        "d          disconnect the central",
        "q          quit",
    ]

    /// How many lines may come before the peripheral is ready.
    private static let earlyLimit = 1000

    private func execute(_ line: CommandInput.Line) {
        switch line {
        case .end: break
        case .text(let text):
            // A script's lines are meant for a peripheral that runs. A person who presses a key sees that it does not
            // yet.
            if let waiting = early, input?.takesKeys != true {
                if waiting.count < Self.earlyLimit {
                    early?.append(text)
                } else {
                    StandardError.write(
                        "dittojay: too many lines before Bluetooth is ready: \"\(text.prefix(40))\" is ignored")
                }
                return
            }
            execute(text)
        }
    }

    private func executeEarlyLines() {
        let lines = early ?? []
        early = nil
        for line in lines { execute(line) }
    }

    private func execute(_ text: String) {
        if text.allSatisfy(\.isWhitespace) { return }
        if text == "?" || text == "h" || text == "help" {
            if !quiet { output.write(lines: Self.help + (input?.takesKeys == true ? [":          begin a line"] : [])) }
            return
        }
        do throws(ControlRequest.ParsingError) {
            let request = try ControlRequest(typed: text)
            peripheral.perform(request) { [self] reply in show(reply) }
        } catch {
            StandardError.write("dittojay: \(error)")
        }
    }

    private func show(_ reply: ControlReply) {
        if json {
            // Events report the rest.
            if let status = reply.status { output.write(status.json) }
            if let error = reply.error { output.write(ControlReply(error: error).json) }
        } else {
            if let status = reply.status { output.write(lines: status.lines) }
            if let error = reply.error { StandardError.write("dittojay: \(error)") }
        }
    }

    // MARK: Ending

    private func watchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: peripheral.queue)
            source.setEventHandler { [self] in
                isInterrupted = true
                end()
            }
            source.activate()
            signals.append(source)
        }
    }

    /// Ends in order; the second time at once.
    private func end() {
        if isEnding {
            input?.stop()
            Foundation.exit(130)
        }
        isEnding = true
        peripheral.queue.asyncAfter(deadline: .now() + Self.patience) { [self] in
            StandardError.write("dittojay: bluetoothd does not answer; the adapter's name may not have been put back")
            input?.stop()
            Foundation.exit(DittojayError.bluetoothStatus)
        }
        peripheral.stop()
    }
}
