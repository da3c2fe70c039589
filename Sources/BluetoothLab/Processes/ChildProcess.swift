import Foundation
import MainLoop
import Posix
import Synchronization

/// A program under test, with all that it prints, line by line.
public final class ChildProcess: Swift.Sendable {
    /// The program and its arguments, for messages.
    public let command: String

    private struct State: Swift.Sendable {
        var lines: [String] = []
        var standardOutput = Stream()
        var standardError = Stream()
        var exitStatus: Int32?
        var openPipes = 2
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private struct Stream: Swift.Sendable {
        var lines: [String] = []
        /// The end of what has come since the last line.
        var unfinished = Data()
    }

    private struct Waiter: Swift.Sendable {
        /// Looks at the state; true when what is waited for is there.
        let check: @Sendable (State) -> Bool
        let isThere = FirstOutcome<Bool>()
    }

    private let state = Mutex(State())
    private let program: LaunchedProgram
    private let input: FileHandle

    /// Starts `program`, looked up on PATH unless it is a path. What `environment` has is added to this process's.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        command = ([program] + arguments).joined(separator: " ")
        let (standardInput, output, errors) = (try ProcessPipe(), try ProcessPipe(), try ProcessPipe())
        self.program = try LaunchedProgram(
            ["/usr/bin/env", program] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .descriptor(standardInput.reading.fileDescriptor),
            output: .descriptor(output.writing.fileDescriptor), errors: .descriptor(errors.writing.fileDescriptor))
        input = standardInput.writing
        for handle in [standardInput.reading, output.writing, errors.writing] { try? handle.close() }
        collect(output.reading, into: \.standardOutput)
        collect(errors.reading, into: \.standardError)
        let thread = Thread { [weak self, program = self.program] in
            let status = program.end()
            // No signal is sent to it after this.
            self?.update { $0.exitStatus = status }
            program.reap()
        }
        thread.start()
    }

    deinit {
        signal(SIGKILL)
    }

    /// The process's number.
    public var identifier: Int32 { program.identifier }

    /// Whether it has not ended yet.
    public var isRunning: Bool { state.withLock { $0.exitStatus == nil } }

    private func collect(
        _ handle: FileHandle, into stream: WritableKeyPath<State, Stream> & Swift.Sendable
    ) {
        let (name, program) = (command.prefix { $0 != " " }.split(separator: "/").last ?? "", program)
        let source = { @Sendable in "\(name)[\(program.identifier)]" }
        let thread = Thread { [weak self] in
            var rest = Data()
            while true {
                let chunk = handle.arrived()
                if chunk.isEmpty { break }
                rest.append(chunk)
                var lines: [String] = []
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
                let (complete, unfinished) = (lines, Data(rest.suffix(Self.longestPrompt)))
                AppLog.shared.add(complete, from: source())
                self?.update {
                    $0.lines += complete
                    $0[keyPath: stream].lines += complete
                    $0[keyPath: stream].unfinished = unfinished
                }
            }
            try? handle.close()
            let last = rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
            AppLog.shared.add(last, from: source())
            self?.update {
                $0.lines += last
                $0[keyPath: stream].lines += last
                $0.openPipes -= 1
            }
        }
        thread.start()
    }

    private func update(_ change: @Sendable (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            let ready = state.waiters.filter { $0.value.check(state) }
            for key in ready.keys { state.waiters[key] = nil }
            return ready.map(\.value.isThere)
        }
        for isThere in ready { isThere.report(true) }
    }

    // MARK: Output

    /// All lines until now, of standard output and standard error, in the order of their arrival: what the program
    /// wrote to one before it wrote to the other may arrive after that.
    public var lines: [String] { state.withLock(\.lines) }

    /// The lines of standard output until now.
    public var standardOutput: [String] { state.withLock(\.standardOutput.lines) }

    /// The lines of standard error until now.
    public var standardError: [String] { state.withLock(\.standardError.lines) }

    /// Everything that was printed, for messages.
    public var transcript: String { "\(command)\n" + lines.map { "    \($0)" }.joined(separator: "\n") }

    /// Whether it still runs, or how it ended, for messages.
    public var outcome: String {
        state.withLock { state in state.exitStatus.map { "it ended with status \($0)" } ?? "it is running" }
    }

    /// Waits for a line that contains `text`, among those that have come and those that come.
    ///
    /// - Parameter start: how many lines to leave out, such as ``lines`` had at an earlier moment.
    @discardableResult
    public func line(containing text: String, from start: Int = 0, within timeout: Duration = .seconds(20)) async throws
        -> String
    {
        let index = try await index(ofLineWith: "\"\(text)\"", from: start, within: timeout) { $0.contains(text) }
        return lines[index]
    }

    /// The same for a line that fulfils a condition.
    ///
    /// - Parameters:
    ///   - what: the line has, for messages.
    ///   - begin: of the wait, of which this may be a part.
    /// - Returns: how many lines came before it.
    @discardableResult
    package func index(
        ofLineWith what: String, from start: Int = 0, within timeout: Duration = .seconds(20),
        since begin: ContinuousClock.Instant = .now, where condition: @escaping @Sendable (String) -> Bool
    ) async throws -> Int {
        try await wait("a line with \(what)", within: timeout, since: begin) { state in
            state.lines.dropFirst(start).contains(where: condition) || Self.hasEnded(state)
        }
        guard let index = lines.dropFirst(start).firstIndex(where: condition) else {
            throw LabError("\(command) ended without a line with \(what):\n\(transcript)")
        }
        return index
    }

    /// Waits for a text at the end of a line that has not ended: a question that waits for its answer.
    package func prompt(_ text: String, within timeout: Duration = .seconds(20)) async throws {
        precondition(text.utf8.count <= Self.longestPrompt)
        let end = Data(text.utf8)
        let isThere = { @Sendable (state: State) in
            [state.standardOutput, state.standardError].contains { $0.unfinished.suffix(end.count) == end }
        }
        try await wait("\"\(text)\"", within: timeout) { isThere($0) || Self.hasEnded($0) }
        guard state.withLock({ isThere($0) }) else {
            throw LabError("\(command) ended without \"\(text)\":\n\(transcript)")
        }
    }

    /// In bytes.
    private static let longestPrompt = 1024

    // MARK: Control

    /// Types a line.
    public func type(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Sends a signal.
    public func signal(_ signal: Int32) {
        // Its number is its own until it has been said to have ended.
        state.withLock { if $0.exitStatus == nil { kill(program.identifier, signal) } }
    }

    /// Waits for the end. A program that was killed by a signal has the signal's number, negated.
    public func exitStatus(within timeout: Duration = .seconds(20)) async throws -> Int32 {
        try await wait("its end", within: timeout, until: Self.hasEnded)
        return state.withLock { $0.exitStatus ?? -1 }
    }

    /// Asks the program to end, as Ctrl-C does, and waits for it.
    @discardableResult
    public func interrupt(within timeout: Duration = .seconds(20)) async throws -> Int32 {
        signal(SIGINT)
        return try await exitStatus(within: timeout)
    }

    private static func hasEnded(_ state: State) -> Bool { state.exitStatus != nil && state.openPipes == 0 }

    private func wait(
        _ what: String, within timeout: Duration, since begin: ContinuousClock.Instant = .now,
        until check: @escaping @Sendable (State) -> Bool
    ) async throws {
        let waiter = Waiter(check: check)
        let key: Int? = state.withLock { state in
            if check(state) { return nil }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = waiter
            return state.nextWaiter
        }
        guard let key else { return }
        let left = max(begin + timeout - .now, .zero)
        let isThere = await waiter.isThere.value(within: left, otherwise: false)
        state.withLock { $0.waiters[key] = nil }
        if !isThere { throw noSign(of: what, within: timeout) }
    }

    func noSign(of what: String, within timeout: Duration) -> LabError {
        LabError("no sign of \(what) within \(timeout):\n\(transcript)")
    }
}
