import BluetoothLab
import Foundation

/// One soak: a sensor, a monitor, and what is done to them.
final class SoakRun {
    private let plan: SoakPlan
    private let lab: Lab
    private var recoveries: [(what: String, seconds: Double)] = []
    private var failures: [String] = []
    private var received = 0

    /// For how long nothing may come before it counts as stuck.
    private static let timeout: Duration = .seconds(60)

    init(_ plan: SoakPlan, in lab: Lab) {
        (self.plan, self.lab) = (plan, lab)
    }

    /// - Returns: whether nothing has failed.
    func run() async throws -> Bool {
        let begin = ContinuousClock.now
        try await lab.reset()
        let sensor = try await Sensor("--rate", "10")
        let monitor = try Monitor()
        do {
            try await run(sensor, monitor)
            try await monitor.stop()
            try await sensor.stop()
        } catch {
            failures.append("\(error)")
        }
        report(after: begin.duration(to: .now) / .seconds(1))
        if !failures.isEmpty { await keep([monitor.process, sensor.process]) }
        return failures.isEmpty
    }

    private func run(_ sensor: Sensor, _ monitor: Monitor) async throws {
        var (ours, theirs) = (Growth(of: "bluejay"), Growth(of: "dittojay"))
        defer { failures += ours.faults + theirs.faults }
        try await monitor.value(within: Self.timeout)
        var cycles = 0
        for round in 1...plan.rounds {
            let (start, before, first) = (ContinuousClock.now, monitor.received, recoveries.count)
            for number in 0..<plan.share(of: plan.connections, in: round) {
                try await cutLink(fromCentral: number % 2 == 0, monitor)
            }
            for _ in 0..<plan.share(of: plan.kills, in: round) { try await killBluetoothd(monitor) }
            for _ in 0..<plan.share(of: plan.powerCycles, in: round) {
                try await cyclePower(of: cycles % 2 == 0 ? Lab.sensorAdapter : Lab.centralAdapter, monitor)
                cycles += 1
            }
            for _ in 0..<plan.share(of: plan.storms, in: round) { try await storm(sensor, monitor) }
            try await burst(plan.share(of: plan.notifications, in: round), sensor, monitor)
            received = monitor.received
            try ours.add(ProcessGauge(of: monitor.process.identifier))
            try theirs.add(ProcessGauge(of: sensor.process.identifier))
            let times = recoveries[first...].map(\.seconds).sorted()
            say(
                "round \(round) of \(plan.rounds): \(times.count) recoveries (\(Self.summary(times))), "
                    + "\(received - before) values, in \(Self.seconds(start.duration(to: .now) / .seconds(1))); "
                    + "\(ours.last); \(theirs.last)")
        }
    }

    private func keep(_ program: ChildProcess, as name: String) {
        let text = program.lines.joined(separator: "\n") + "\n"
        try? text.write(to: lab.output.appendingPathComponent("\(name).log"), atomically: false, encoding: .utf8)
    }

    /// Keeps what programs have printed, and what bluetoothd has of the devices.
    private func keep(_ programs: [ChildProcess]) async {
        for program in programs { keep(program, as: "\(program.command.prefix { $0 != " " })") }
        let objects = try? ChildProcess(
            "dbus-send",
            [
                "--system", "--print-reply", "--dest=org.bluez", "/",
                "org.freedesktop.DBus.ObjectManager.GetManagedObjects",
            ])
        if let objects, (try? await objects.exitStatus()) != nil { keep(objects, as: "bluetoothd-objects") }
    }

    private func report(after time: Double) {
        for (what, group) in Dictionary(grouping: recoveries, by: \.what).sorted(by: { $0.key < $1.key }) {
            say("\(group.count) × \(what): \(Self.summary(group.map(\.seconds).sorted()))")
        }
        say("\(received) notifications in \(Int(time)) s")
        for failure in failures { say("FAILED: \(failure)") }
        say("\(recoveries.count) recoveries, \(failures.count) failures")
    }

    // MARK: What happens

    private func cutLink(fromCentral: Bool, _ monitor: Monitor) async throws {
        try await recovery(from: "cut link", monitor) {
            if fromCentral {
                try await lab.cutLink(to: Lab.sensorAddress, on: Lab.centralAdapter)
            } else {
                try await lab.cutLink(to: Lab.centralAddress, on: Lab.sensorAdapter)
            }
        }
    }

    private func killBluetoothd(_ monitor: Monitor) async throws {
        try await recovery(from: "kill of bluetoothd", monitor) {
            try await lab.bluetoothd(.kill)
            try await lab.bluetoothd(.start)
        }
    }

    private func cyclePower(of adapter: String, _ monitor: Monitor) async throws {
        try await recovery(from: "power cycle of \(adapter)", monitor) {
            let position = monitor.position
            try await lab.power(off: adapter)
            try await monitor.down(from: position, within: Self.timeout)
            try await lab.power(on: adapter)
        }
    }

    /// A service is removed and added again, as quickly as bluetoothd accepts it. Then it chirps.
    ///
    /// bluetoothd (5.66) crashes in some of them (`docs/bluez-limits.md`). What comes after that is as after a kill.
    private func storm(_ sensor: Sensor, _ monitor: Monitor) async throws {
        let (heard, begin) = (monitor.position, sensor.position)
        for _ in 0..<plan.stormChanges / 2 {
            guard try await change("- chirp", "service-removed", sensor),
                try await change("+ chirp", "service-added", sensor)
            else {
                try await sensor.event(.state, from: begin, within: Self.timeout) {
                    $0.message?.contains("Bluetooth is on") == true
                }
                // Unless it is there.
                try sensor.type("+ chirp")
                break
            }
        }
        let end = ContinuousClock.now
        let text = "after storm \(recoveries.count)"
        // Whoever has not subscribed yet does not hear it.
        while !monitor.hasPrinted(text, from: heard) {
            guard end.duration(to: .now) < Self.timeout else {
                throw LabError("no chirp since the storm:\n\(monitor.tail)")
            }
            try sensor.type("c \(text)")
            _ = try? await monitor.process.line(containing: text, from: heard, within: .milliseconds(100))
        }
        let hasCrashed = sensor.events.dropFirst(begin).contains {
            $0.message?.contains("bluetoothd is not running") == true
        }
        note(hasCrashed ? "crash of bluetoothd in a storm" : "service storm", end.duration(to: .now) / .seconds(1))
    }

    /// - Returns: false if it could not be done because bluetoothd has ended.
    private func change(_ line: String, _ event: String, _ sensor: Sensor) async throws -> Bool {
        let asked = sensor.process.lines.count
        try sensor.type(line)
        let (done, refused) = ("\"event\":\"\(event)\"", "\"error\":\"Bluetooth ")
        let answer = try await sensor.process.index(
            ofLineWith: "the answer to \(line)", from: asked, within: Self.timeout
        ) { $0.contains(done) || $0.contains(refused) }
        return sensor.process.lines[answer].contains(done)
    }

    /// Many notifications, one after another. All of them have to arrive.
    private func burst(_ count: Int, _ sensor: Sensor, _ monitor: Monitor) async throws {
        guard count > 0 else { return }
        let before = monitor.chirps
        let client = try sensor.client(["burst", "--count", "\(count)", "--size", "20"])
        let status = try await client.exitStatus(within: .seconds(60) + .milliseconds(count * 50))
        guard status == 0 else { throw LabError("the burst failed: \(client.transcript)") }
        try await monitor.chirps(before + count, within: Self.timeout)
        guard monitor.chirps == before + count else {
            return failures.append("of \(count) notifications in a burst, \(monitor.chirps - before) came")
        }
    }

    /// Does something that ends the connection, and waits for the next value of a new one.
    private func recovery(from what: String, _ monitor: Monitor, _ fault: () async throws -> Void) async throws {
        let position = monitor.position
        try await fault()
        let end = ContinuousClock.now
        do {
            try await monitor.down(from: position, within: Self.timeout)
            try await monitor.valueOfNewConnection(from: position, within: Self.timeout)
        } catch {
            throw LabError("stuck after \(what): \(error)")
        }
        note(what, end.duration(to: .now) / .seconds(1))
    }

    private func note(_ what: String, _ seconds: Double) {
        recoveries.append((what, seconds))
        if seconds > plan.limit { failures.append("a recovery took \(Self.seconds(seconds)): \(what)") }
    }

    /// Of times that are sorted.
    private static func summary(_ times: [Double]) -> String {
        guard let longest = times.last else { return "none" }
        return "median \(seconds(times[times.count / 2])), 99 of 100 within \(seconds(times[times.count * 99 / 100])), "
            + "longest \(seconds(longest))"
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.1f s", value) }
}
