import CommandSupport
import Dittojay
import Foundation
import LineOutput
import MainLoop
import PlainText

/// The peripherals of a process with a terminal, or pipes, around them: prints their events, takes commands and
/// signals, and ends the process.
// @unchecked: everything happens on the group's queue.
final class TerminalSession: @unchecked Swift.Sendable {
    private let group: PeripheralGroup
    private let output: LineWriter
    private let json: Bool
    private let quiet: Bool
    private let junit: String?
    private let record: EventRecord?
    private let desktop: PairingDesktop?
    private var input: CommandInput?
    private var signals: SignalWatch?
    private var isEnding = false
    /// Ends the process if nothing happens.
    private var endLimit: DispatchWorkItem?
    /// Whether it was shown why one of several has ended.
    private var hasShownFailure = false
    /// Whether a signal ends it: then it ends soon, whatever its output waits for.
    private var isInterrupted = false
    /// Lines that came before the peripherals were ready; nil after that.
    private var early: [String]? = []

    /// How many bytes may wait for the reader of the output: some 5,000 events.
    private static let outputCapacity = 1 << 20
    /// How long bluetoothd may take to put a peripheral's controller back before the process ends all the same.
    private static let timeout = DispatchTimeInterval.seconds(5)
    /// How long the reader of the output may take to read what waits at the end.
    private static let readerTimeout = DispatchTimeInterval.seconds(5)
    /// The same after a signal.
    private static let interruptedReaderTimeout = DispatchTimeInterval.milliseconds(500)

    /// - Parameters:
    ///   - junit: the path of the file for the report of a scenario that expects something.
    ///   - record: gets all events, whatever is printed.
    ///   - desktop: shows what pairing wants where there is no terminal; nil if nothing is to be shown there.
    init(
        _ group: PeripheralGroup, _ options: SessionOptions, junit: String? = nil, record: EventRecord? = nil,
        desktop: PairingDesktop? = nil
    ) {
        self.record = record
        self.desktop = desktop
        self.group = group
        json = options.json
        quiet = options.quiet
        self.junit = junit
        output = LineWriter(descriptor: STDOUT_FILENO, capacity: Self.outputCapacity, queue: group.queue)
    }

    func start() {
        group.queue.async { [self] in
            watchSignals()
            output.onFailure = { [self] error in outputHasFailed(error) }
            output.dropNotice = { [json] count in Self.notice(ofDropped: count, json: json) }
            group.droppedLines = { [output] in output.droppedLines }
            record?.onFailure = { [self] error in outputHasFailed(error) }
            if !quiet || record != nil || group.hasSeveral {
                group.onEvent = { [self] event in take(event) }
            }
            group.onReady = { [self] in executeEarlyLines() }
            group.onEnd = { [self] error in exit(with: error) }
            input = CommandInput(
                queue: group.queue, show: { [output] bytes in output.write(verbatim: bytes) },
                handler: { [self] line in execute(line) })
            // Where somebody watches the terminal, the events say it.
            if let desktop, input?.takesKeys != true {
                group.onPairingPrompt = { prompt in desktop.show(prompt) }
            }
            group.start()
        }
    }

    // MARK: Output

    private func take(_ event: PeripheralEvent) {
        record?.write(event)
        showFailure(event)
        if !quiet { show(event) }
    }

    private func show(_ event: PeripheralEvent) {
        // Failures are shown on standard error, so that they are seen whatever happens to the output.
        if event.kind == .failed, !json {
            let peripheral = event.peripheral.map { $0 + ": " } ?? ""
            return StandardError.write("dittojay: \(peripheral)\(event.message ?? "")")
        }
        if json { output.write(event.json) } else { output.write(event.text) }
    }

    /// Shows why one of several peripherals has ended.
    private func showFailure(_ event: PeripheralEvent) {
        guard group.hasSeveral, event.kind == .ended, let message = event.message else { return }
        StandardError.write("dittojay: \(event.peripheral ?? "") ended: \(message)")
        hasShownFailure = true
    }

    private func exit(with ending: DittojayError?) {
        var error = ending
        let reports = group.scenarioReports
        for report in reports { show(report) }
        if !reports.isEmpty, let junit, let failure = write(ScenarioReport.junit(of: reports), to: junit) {
            error = error ?? failure
        }
        if let error, !hasShownFailure || error != ending {
            StandardError.write("dittojay: \(error)\(Self.advice(error))")
        }
        guard let record else { return finish(error) }
        record.finish(within: Self.readerTimeout) { [self] loss in
            if let loss { StandardError.write("dittojay: \(loss)") }
            finish(error, otherwise: loss == nil ? 0 : OutputError.exitStatus)
        }
    }

    /// What to do about an error of Bluetooth.
    private static func advice(_ error: DittojayError) -> String {
        guard error.exitStatus == DittojayError.bluetoothStatus else { return "" }
        let adapter = error.description.firstMatch(of: /\bhci\d+\b/).map { String($0.output) }
        // bluetoothd says only that it has failed.
        if let obstacle = Doctor(role: .peripheral, adapter: adapter).radioObstacle(of: adapter) {
            return "; \(obstacle)"
        }
        return "; run \"dittojay doctor\" for help"
    }

    /// - Parameter status: the exit status if nothing else has failed.
    private func finish(_ error: DittojayError?, otherwise status: Int32 = 0) {
        Task { [self] in
            await desktop?.settle()
            group.queue.async { [self] in leave(error, otherwise: status) }
        }
    }

    private func leave(_ error: DittojayError?, otherwise status: Int32) {
        // A reader that has stopped must not keep the program alive: another signal may come.
        output.finish(within: isInterrupted ? Self.interruptedReaderTimeout : Self.readerTimeout) { [self] loss in
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

    private func write(_ junit: String, to path: String) -> DittojayError? {
        if path == "-" {
            output.write(verbatim: Array(junit.utf8))
            return nil
        }
        do {
            try Data(junit.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
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
        "c [VALUE]  chirp; VALUE is text, hex:0102 or the like",
        "set NAME VALUE, send NAME VALUE  set a characteristic's value; notify its subscribers",
        "+ [NAME]   add a service (default: chirp), or all",
        "- [NAME]   remove a service (default: chirp), or all",
        "advertise off, advertise on, power off, power on",
        "s          show the status",
        "p          list the peripherals",
        "@ID ...    run one of these for the peripheral ID: @hci1 c hello",
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
            let request = try AddressedRequest(typed: text)
            group.perform(request) { [self] reply in show(reply) }
        } catch {
            StandardError.write("dittojay: \(error)")
        }
    }

    private func show(_ reply: ControlReply) {
        if json {
            // Events report the rest.
            if let status = reply.status { output.write(status.json) }
            if reply.peripherals != nil { output.write(reply.json) }
            if let error = reply.error { output.write(ControlReply(error: error).json) }
        } else {
            if let status = reply.status { output.write(lines: status.lines) }
            if let peripherals = reply.peripherals { output.write(lines: peripherals.map(\.text)) }
            if let error = reply.error { StandardError.write("dittojay: \(error)") }
        }
    }

    // MARK: Ending

    private func watchSignals() {
        signals = SignalWatch(SignalWatch.ending, queue: group.queue) { [self] _ in
            isInterrupted = true
            end()
        }
    }

    /// Gives the next of the peripherals some time to end.
    private func limitEnd() {
        endLimit?.cancel()
        let limit = DispatchWorkItem { [self] in
            StandardError.write("dittojay: bluetoothd does not answer; the adapter's name may not have been restored")
            input?.stop()
            Foundation.exit(DittojayError.bluetoothStatus)
        }
        endLimit = limit
        group.queue.asyncAfter(deadline: .now() + Self.timeout, execute: limit)
    }

    /// Ends in order; the second time at once.
    private func end() {
        if isEnding {
            input?.stop()
            Foundation.exit(130)
        }
        isEnding = true
        group.onEndOfOne = { [self] in limitEnd() }
        limitEnd()
        group.stop()
    }
}
