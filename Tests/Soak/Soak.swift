import BluetoothLab
import Foundation

/// Puts dittojay and bluejay through many connections and faults, and watches what they keep. `scripts/soak` builds it
/// and runs it in the lab.
@main
struct Soak {
    static let usage = """
        usage: scripts/soak [--part N] [--limit SECONDS] [--connections N] [--notifications N] [--kills N]
                            [--power-cycles N] [--storms N]

        `dittojay` and `bluejay monitor` stay together in the lab through 2000 connections, 100000 notifications, 50 kills of
        bluetoothd, 50 power cycles and 20 storms of service changes, in 20 rounds. After each fault the next value has to
        arrive within SECONDS (5 by default) of the fault's end. Neither program may end, or keep memory or file descriptors
        from one round to the next. bluetoothd may crash in a storm (5.66 does); that counts as one more fault.

        --part N         only N of the 20 rounds; growth is judged from 8 rounds on
        --limit SECONDS  how long a recovery may take; a machine that is busy with other things needs more

        The other options are how many of these there are in 20 rounds.

        The last line is "N recoveries, N failures"; the exit status is 0 when nothing has failed. What both programs have
        printed is in the lab's output folder when something has.
        """

    static func main() async {
        let plan: SoakPlan
        do {
            plan = try parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("soak: \(error)\n\n\(usage)")
            exit(64)
        }
        do {
            exit(try await SoakRun(plan, in: Lab.here).run() ? 0 : 1)
        } catch {
            complain("soak: \(error)")
            exit(70)
        }
    }

    private static func parse(_ arguments: [String]) throws -> SoakPlan {
        var plan = SoakPlan()
        var rest = arguments[...]
        func number<Number: LosslessStringConvertible & Comparable>(
            _ option: String, _ limits: ClosedRange<Number>
        ) throws -> Number {
            guard let number = rest.popFirst().flatMap(Number.init), limits.contains(number) else {
                throw LabError("\(option) needs a number from \(limits.lowerBound) to \(limits.upperBound)")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                say(usage)
                exit(0)
            case "--part": plan.rounds = try number(argument, 1...SoakPlan.allRounds)
            case "--limit": plan.limit = try number(argument, 0.1...600)
            case "--connections": plan.connections = try number(argument, 0...1_000_000)
            case "--notifications": plan.notifications = try number(argument, 0...100_000_000)
            case "--kills": plan.kills = try number(argument, 0...1_000_000)
            case "--power-cycles": plan.powerCycles = try number(argument, 0...1_000_000)
            case "--storms": plan.storms = try number(argument, 0...1_000_000)
            default: throw LabError("unknown option \(argument)")
            }
        }
        return plan
    }
}
/// Prints a line at once, also where the output is a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

private func complain(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// What a soak does.
struct SoakPlan {
    static let allRounds = 20
    var rounds = allRounds
    /// Seconds that a recovery may take.
    var limit = 5.0

    // In all rounds together:
    /// Connections that are made again after the link was cut.
    var connections = 2000
    /// Notifications that have to arrive at least.
    var notifications = 100_000
    /// Kills of bluetoothd.
    var kills = 50
    /// How often one of the controllers is switched off and on.
    var powerCycles = 50
    /// Storms of service changes.
    var storms = 20

    /// Service changes in a storm.
    let stormChanges = 20

    /// How many of so many fall into a round, counted from 1.
    func share(of count: Int, in round: Int) -> Int {
        count * round / Self.allRounds - count * (round - 1) / Self.allRounds
    }
}
