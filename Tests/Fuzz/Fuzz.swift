import Foundation

/// Gives what takes data from outside a lot of odd data. `scripts/fuzz` builds and runs it.
@main
struct Fuzz {
    static let usage = """
        usage: scripts/fuzz [--inputs N] [--seed S] [--jobs N] [--release] [TARGET…]
               scripts/fuzz --replay FILE TARGET
               scripts/fuzz --list

        Gives the targets, all if none is named, N inputs in all (20000 by default), made from the seed S (1 by default).
        Each input is a well-formed one that was changed, and depends on the seed, the target and its number only. Nothing
        may trap, hang, keep memory, or do what it promises not to. An input that does is kept in .fuzz, and --replay gives
        it to its target once more. --release builds with optimization, into .build-fuzz, for long runs.

        The last line is "N inputs, N failures"; the exit status is 0 when nothing has failed.
        """

    private struct Options {
        var inputs = 20_000
        var first = 0
        var seed: UInt64 = 1
        var jobs = ProcessInfo.processInfo.activeProcessorCount
        var replay: String?
        var worker: String?
        var targets: [FuzzTarget] = []
    }

    static func main() {
        let options: Options
        do {
            options = try parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("fuzz: \(error)\n\n\(usage)")
            exit(64)
        }
        do {
            if let worker = options.worker { exit(try work(worker, options)) }
            if let file = options.replay { exit(try replay(file, options)) }
            exit(try supervise(options))
        } catch {
            say("fuzz: \(error)")
            exit(70)
        }
    }

    private static func parse(_ arguments: [String]) throws -> Options {
        var options = Options()
        var rest = arguments[...]
        func number<Number: FixedWidthInteger>(_ name: String) throws -> Number {
            guard let text = rest.popFirst(), let number = Number(text), number >= 0 else {
                throw BrokenPromise(description: "\(name) needs a number")
            }
            return number
        }
        func text(_ name: String) throws -> String {
            guard let text = rest.popFirst() else { throw BrokenPromise(description: "\(name) needs a file") }
            return text
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                say(usage)
                exit(0)
            case "--list":
                for target in FuzzTarget.all { say(target.name) }
                exit(0)
            case "--inputs": options.inputs = try number(argument)
            case "--first": options.first = try number(argument)
            case "--seed": options.seed = try number(argument)
            case "--jobs": options.jobs = max(1, try number(argument))
            case "--replay": options.replay = try text(argument)
            case "--worker": options.worker = try text(argument)
            default:
                guard let target = FuzzTarget.all.first(where: { $0.name == argument }) else {
                    let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
                    throw BrokenPromise(description: "unknown target \(argument); valid: \(names)")
                }
                options.targets.append(target)
            }
        }
        if options.targets.isEmpty { options.targets = FuzzTarget.all }
        return options
    }

    private static func work(_ file: String, _ options: Options) throws -> Int32 {
        guard let progress = Progress.map(file), let target = options.targets.first else { return 70 }
        let range = options.first..<options.first + options.inputs
        return Worker(target: target, seed: options.seed, range: range, progress: progress).run().rawValue
    }

    private static func replay(_ file: String, _ options: Options) throws -> Int32 {
        guard options.targets.count == 1, let target = options.targets.first else {
            throw BrokenPromise(description: "--replay needs the target of the input")
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw BrokenPromise(description: "cannot read \(file)")
        }
        do {
            try target.run(Array(data))
        } catch {
            say("FAILED: \(error)\n1 inputs, 1 failures")
            return 1
        }
        say("1 inputs, 0 failures")
        return 0
    }

    private static func supervise(_ options: Options) throws -> Int32 {
        let begin = ContinuousClock.now
        let weights = options.targets.reduce(0) { $0 + $1.weight }
        var left = options.inputs
        let plan = options.targets.enumerated().map { place, target in
            let isLast = place == options.targets.count - 1
            let count = isLast ? left : options.inputs * target.weight / weights
            left -= count
            return (target: target, range: 0..<count)
        }
        let supervisor = Supervisor(seed: options.seed, folder: ".fuzz")
        try supervisor.run(plan, jobs: options.jobs)
        let time = begin.duration(to: .now) / .seconds(1)
        for (target, range) in plan { say("\(target.name): \(range.count) inputs") }
        say("seed \(options.seed), \(Int(time)) s, \(Int(Double(options.inputs) / max(time, 0.001))) inputs a second")
        say("\(options.inputs) inputs, \(supervisor.failures.count) failures")
        return supervisor.failures.isEmpty ? 0 : 1
    }
}
