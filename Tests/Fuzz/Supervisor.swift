import Foundation

/// Lets workers take the inputs, several at a time, and collects what goes wrong.
final class Supervisor {
    struct Failure {
        let target: String
        let index: Int
        let reason: String
    }

    private struct Job {
        let target: FuzzTarget
        var range: Range<Int>
        var failures = 0
    }

    private final class Running {
        var job: Job
        let process: Process
        let progress: UnsafeMutablePointer<Progress>
        let log: String
        var lastIndex = UInt64.max
        var lastChange = ContinuousClock.now
        var isHanging = false

        init(_ job: Job, _ process: Process, _ progress: UnsafeMutablePointer<Progress>, log: String) {
            (self.job, self.process, self.progress, self.log) = (job, process, progress, log)
        }
    }

    private let seed: UInt64
    private let folder: String
    private var waiting: [Job] = []
    private var running: [Running] = []
    private(set) var failures: [Failure] = []
    private var slowest: [String: (milliseconds: UInt64, index: UInt64)] = [:]

    /// How many inputs a worker takes at most, and how many of those that break it are looked for.
    private static let chunk = 20_000
    private static let failureLimit = 5
    /// Seconds after which an input hangs. A worker itself ends after fewer of processor time.
    private static let hangTime = 30.0

    /// - Parameter folder: where inputs that break something are kept.
    init(seed: UInt64, folder: String) {
        self.seed = seed
        self.folder = folder
    }

    /// Runs all inputs.
    func run(_ plan: [(target: FuzzTarget, range: Range<Int>)], jobs: Int) throws {
        for (target, range) in plan {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunk) {
                waiting.append(Job(target: target, range: start..<min(start + Self.chunk, range.upperBound)))
            }
        }
        // The targets take turns, so that a mistake shows early.
        waiting.sort { $0.range.lowerBound < $1.range.lowerBound }
        while !waiting.isEmpty || !running.isEmpty {
            while running.count < jobs, !waiting.isEmpty { try start(waiting.removeFirst()) }
            usleep(5000)
            for worker in running { look(at: worker) }
            running.removeAll { !$0.process.isRunning }
        }
        for (target, worst) in slowest.sorted(by: { $0.key < $1.key }) {
            say("\(target): the slowest input, \(worst.index), took \(worst.milliseconds) ms")
        }
    }

    private func start(_ job: Job) throws {
        let name = NSTemporaryDirectory() + "fuzz-\(getpid())-\(job.target.name)-\(job.range.lowerBound)"
        _ = FileManager.default.createFile(atPath: name, contents: nil)
        _ = FileManager.default.createFile(atPath: name + ".log", contents: nil)
        guard let progress = Progress.map(name), let log = FileHandle(forWritingAtPath: name + ".log") else {
            throw BrokenPromise(description: "cannot make \(name)")
        }
        unlink(name + ".gone")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--worker", name, "--seed", String(seed), "--first", String(job.range.lowerBound), "--inputs",
            String(job.range.count), job.target.name,
        ]
        process.standardOutput = log
        process.standardError = log
        try process.run()
        running.append(Running(job, process, progress, log: name))
    }

    private func look(at worker: Running) {
        let progress = worker.progress.pointee
        guard worker.process.isRunning else { return ended(worker, progress) }
        if progress.index != worker.lastIndex {
            worker.lastIndex = progress.index
            worker.lastChange = .now
        } else if worker.lastChange.duration(to: .now) > .seconds(Self.hangTime) {
            worker.isHanging = true
            kill(worker.process.processIdentifier, SIGKILL)
        }
    }

    private func ended(_ worker: Running, _ progress: Progress) {
        let name = worker.job.target.name
        if progress.slowestTime > slowest[name]?.milliseconds ?? 0 {
            slowest[name] = (progress.slowestTime, progress.slowest)
        }
        let text = (try? String(contentsOfFile: worker.log + ".log", encoding: .utf8)) ?? ""
        Progress.unmap(worker.progress)
        unlink(worker.log)
        unlink(worker.log + ".log")
        let status = worker.process.terminationStatus
        let isSignal = worker.process.terminationReason == .uncaughtSignal
        let reason: String
        switch (isSignal, Worker.Ending(rawValue: status)) {
        case (false, .done): return
        case (false, .failed): reason = Self.line(of: text)
        case (false, .slow): reason = "takes more than 5 s of processor time"
        case (false, .grown): reason = Self.line(of: text) + ", in the inputs from \(worker.job.range.lowerBound) on"
        default:
            reason =
                worker.isHanging
                ? "hangs" : "ends the program by \(isSignal ? "signal" : "status") \(status): \(Self.line(of: text))"
        }
        fail(worker.job, Int(progress.index), reason)
    }

    /// The line that says most: where the program was trapped, or else the last one.
    private static func line(of text: String) -> String {
        let lines = text.split(separator: "\n")
        return String((lines.first { $0.contains("Fatal error") } ?? lines.last ?? "").prefix(500))
    }

    private func fail(_ job: Job, _ index: Int, _ reason: String) {
        failures.append(Failure(target: job.target.name, index: index, reason: reason))
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(job.target.name)-\(seed)-\(index)"
        var dice = Dice(seed: seed, target: job.target.name, index: index)
        let bytes = (try? job.target.generate(&dice)) ?? []
        _ = FileManager.default.createFile(atPath: file, contents: Data(bytes))
        say("FAILED: \(job.target.name), input \(index) of seed \(seed): \(reason)")
        say("  \(bytes.count) bytes in \(file); again: scripts/fuzz --replay \(file) \(job.target.name)")
        var rest = job
        rest.failures += 1
        rest.range = min(index + 1, job.range.upperBound)..<job.range.upperBound
        guard !rest.range.isEmpty else { return }
        if rest.failures < Self.failureLimit {
            waiting.insert(rest, at: 0)
        } else {
            say("  \(rest.range.count) inputs of this part were left out, after \(rest.failures) failures")
        }
    }
}
