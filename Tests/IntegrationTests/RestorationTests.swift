import BluetoothLab
import Foundation
import GATTProfiles
import TestSupport
import Testing

extension InTheLab {
    /// A program that is killed and comes back with its connection and its values.
    @Suite struct Restoration {
        @Test func `a chirp starts the killed program within a second and the sensor notices nothing`() async throws {
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                let seen = sensor.position
                var latencies: [TimeInterval] = []
                var starts: [TimeInterval] = []
                let count = rounds(5, thoroughly: 10)
                for round in 0..<count {
                    starts.append(try await program.startTime())
                    try await program.kill()
                    let start = program.position
                    try await sensor.command("chirp", "round \(round)")
                    let value = try await program.event("unhandled", from: start)
                    #expect(value.value == Data("round \(round)".utf8))
                    let names = program.events.dropFirst(start).map(\.name)
                    let order = ["started", "restored", "connected", "on", "unhandled"].map { names.firstIndex(of: $0) }
                    #expect(order.allSatisfy { $0 != nil }, "\(names)")
                    #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted(), "\(names)")
                    let chirp = try #require(sensor.events.last { $0.kind == .chirped }?.time)
                    latencies.append(value.time.timeIntervalSince(chirp))
                    // So that the next round finds a program that has settled.
                    try await program.event("listening", from: start)
                }
                let (median, start) = (latencies.sorted()[count / 2], starts.sorted()[count / 2])
                print(
                    "from the chirp to the value in the program that was started for it: \(latencies), median \(median) s"
                )
                print("from a start of the program by hand to its first line: \(starts), median \(start) s")
                // A second, unless the machine is so busy that a start alone takes a good part of it.
                #expect(.seconds(median) < timeLimit(max(1, 3 * start)))
                let since = sensor.events.dropFirst(seen)
                #expect(!since.contains { $0.kind == .unsubscribed || $0.kind == .disconnected }, "\(since)")
            }
        }

        @Test func `a thousand chirps between the death and the return all arrive once and in order`() async throws {
            try await withRestoredProgram { sensor, program in
                try await program.kill()
                let start = program.position
                // At a thousand a second a busy machine may not keep up, and bluetoothd drops what does not fit.
                try await sensor.command("burst", "--count", "1000", "--rate", "250", within: .seconds(120))
                let values = try await program.chirps(1000, from: start, within: .seconds(60))
                #expect(values.compactMap { ChirpService.Burst.number(in: $0) } == (0..<1000).map { UInt32($0) })
            }
        }

        @Test func `deaths while values flow lose nothing that was not begun and repeat nothing`() async throws {
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                let start = program.position
                let allDeaths = rounds(10, thoroughly: 50)
                let count = 240 * allDeaths
                let burst = try ChildProcess(
                    "dittojay", ["burst", "--count", "\(count)", "--rate", "100"],
                    environment: ["DITTOJAY_SOCKET": sensor.socket])
                var generator = Dice.ofThisRun
                var deaths = 0
                while deaths < allDeaths {
                    let position = program.position
                    // Some values later, and then at any moment of the next.
                    _ = try await program.chirps(
                        Int.random(in: 1...100, using: &generator), from: position, within: .seconds(60))
                    usleep(UInt32.random(in: 0...10_000, using: &generator))
                    try await program.kill()
                    deaths += 1
                }
                #expect(try await burst.exitStatus(within: .seconds(300)) == 0)
                let last = UInt32(count - 1)
                try await program.waitUntil("the last value", within: .seconds(120)) {
                    program.events.last { $0.source == "chirp" && $0.value != nil }?.value
                        .flatMap { ChirpService.Burst.number(in: $0) } == last
                }
                let numbers = program.chirps(from: start).compactMap { ChirpService.Burst.number(in: $0) }
                #expect(numbers == numbers.sorted(), "in order")
                #expect(Set(numbers).count == numbers.count, "none twice")
                // The one that the program had taken and not yet written down when it was killed.
                let missing = count - numbers.count
                print("\(deaths) deaths, \(missing) of \(count) values begun and not written down")
                #expect(missing <= deaths)
                let gaps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.filter { $0 > 1 }
                #expect(gaps.allSatisfy { $0 == 2 }, "at most one at a time: \(gaps)")
            }
        }

        @Test func `a program that ends by choice is not started again`() async throws {
            try await withRestoredProgram { sensor, program in
                let seen = sensor.position
                let status = try await program.first.interrupt()
                #expect(status == 0)
                try await sensor.event(.disconnected, from: seen)
                let starts = program.events.filter { $0.name == "started" }.count
                try await sensor.command("chirp", "nobody")
                // What the agent would do, it would do now: another program is served.
                let other = try await RestoredProgram()
                try await other.stop()
                #expect(program.events.filter { $0.name == "started" }.count == starts)
            }
        }

        @Test func `the agent's death is survived by a running program`() async throws {
            try await withRestoredProgram { sensor, program in
                let seen = sensor.position
                try await program.killAgent()
                try await sensor.event(.unsubscribed, from: seen)
                // The program starts another one, which subscribes again.
                let start = program.position
                try await sensor.event(.subscribed, from: seen, within: .seconds(60)) { $0.characteristic == "chirp" }
                try await sensor.command("chirp", "again")
                try await program.event("value", from: start) { $0.value == Data("again".utf8) }
                #expect(try program.isRunning)
            }
        }

        @Test func `the agent's death is survived by the state of a dead program`() async throws {
            // Or a rate may start the program, which starts an agent itself.
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                try await program.kill()
                try await program.waitUntil("the agent knows") {
                    !program.record.isEmpty && !program.record.contains("\"process\"")
                }
                try await program.killAgent()
                let seen = sensor.position
                let start = program.position
                try await program.startAgent()
                try await sensor.event(.subscribed, from: seen, within: .seconds(60)) { $0.characteristic == "chirp" }
                try await sensor.command("chirp", "still there")
                try await program.event("restored", from: start)
                try await program.event("unhandled", from: start) { $0.value == Data("still there".utf8) }
            }
        }

        @Test func `the agent may die at any moment`() async throws {
            try await withRestoredProgram(listeningToRates: false, startsAgent: false) { sensor, program in
                var generator = Dice.ofThisRun
                for round in 0..<rounds(3, thoroughly: 9) {
                    // What happens at the random moment: the program comes back, or takes values, or is just killed.
                    switch round % 3 {
                    case 0:
                        try await program.kill()
                        try await sensor.command("chirp", "wake up \(round)")
                    case 1: try await sensor.command("burst", "--count", "50", "--rate", "100")
                    default: Glibc.kill(try program.process, SIGKILL)
                    }
                    try await Task.sleep(for: .milliseconds(.random(in: 0...1500, using: &generator)))
                    try await program.killAgent()
                    let start = program.position
                    try await program.startAgent()
                    // It chirps until the agent has subscribed again; after that every chirp comes.
                    let deadline = ContinuousClock.now + .seconds(60)
                    var heard: [Data] = []
                    var chirps = 0
                    while heard.isEmpty {
                        guard ContinuousClock.now < deadline else {
                            throw LabError("nobody listens in round \(round):\n\(program.transcript)")
                        }
                        chirps += 1
                        try await sensor.command("chirp", "\(round).\(chirps)")
                        heard = program.chirps(from: start).filter { $0.starts(with: Data("\(round).".utf8)) }
                    }
                    try await sensor.command("chirp", "\(round) end")
                    try await program.waitUntil("the last chirp of round \(round)") {
                        program.chirps(from: start).last == Data("\(round) end".utf8)
                    }
                    heard = program.chirps(from: start).filter { $0.starts(with: Data("\(round).".utf8)) }
                    let sent = (1...chirps).map { Data("\(round).\($0)".utf8) }
                    #expect(heard == sent.suffix(heard.count), "all from the first one on, in order, none twice")
                }
            }
        }

        @Test func `a program killed while it connects is started when the sensor is there`() async throws {
            try await withRestoredProgram { sensor, program in
                let mark = program.position
                try await sensor.stop()
                try await program.event("disconnected", from: mark)
                try program.first.type("connect")
                try await program.event("connecting", from: mark)
                try await program.waitUntil("the agent knows") {
                    program.record.contains("\"connecting\"")
                }
                try await program.kill()
                let start = program.position
                let later = try await Sensor()
                try await program.event("started", from: start, within: .seconds(60))
                try await program.event("restored", from: start, within: .seconds(60))
                try await later.stop()
            }
        }

        @Test func `bluetoothd's restart is survived by the state of a dead program`() async throws {
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                try await program.kill()
                let (seen, start) = (sensor.position, program.position)
                try await Lab.here.bluetoothd(.restart)
                try await sensor.event(.subscribed, from: seen, within: .seconds(90))
                try await sensor.command("chirp", "again")
                try await program.event("restored", from: start, within: .seconds(60))
                try await program.event("unhandled", from: start) { $0.value == Data("again".utf8) }
            }
        }

        @Test func `a service that goes while the program is dead is news`() async throws {
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                try await program.kill()
                let start = program.position
                try await sensor.command("service", "remove", "chirp")
                try await program.event("restored", from: start)
                let change = try await program.event("services-changed", from: start)
                #expect(change.fields["invalidated"] as? [String] == [ChirpService.uuid])
            }
        }

        @Test func `a link that is lost while the program is dead is news and it connects again`() async throws {
            try await withRestoredProgram(listeningToRates: false) { sensor, program in
                try await program.kill()
                let start = program.position
                try await sensor.command("disconnect")
                let news = try await program.event("not-restored", from: start)
                #expect(news.fields["reason"] as? String == "notConnected")
                try await program.event("connected", from: start, within: .seconds(60))
                try await program.event("listening", from: start, within: .seconds(60)) { $0.source == "chirp" }
                try await sensor.command("chirp", "back")
                try await program.event("value", from: start) { $0.value == Data("back".utf8) }
            }
        }

        @Test func `hostile clients of the agent harm nobody`() async throws {
            try await withRestoredProgram { sensor, program in
                // Another user: the socket's mode keeps it out, and where the mode is undone the agent does.
                #expect(try await intruder(program) == "kept out")
                #expect(chmod(program.socket, 0o666) == 0 && chmod(program.folder.path, 0o755) == 0)
                #expect(try await intruder(program) == "refused")
                #expect(chmod(program.socket, 0o600) == 0)
                let crowd = try ChildProcess("python3", ["-c", Self.crowd, program.socket])
                try await crowd.line(containing: "a thousand", within: .seconds(60))
                let start = program.position
                try await sensor.command("chirp", "in the crowd")
                try await program.event("value", from: start) { $0.value == Data("in the crowd".utf8) }
                try await program.kill()
                try await sensor.command("chirp", "after it")
                try await program.event("unhandled", from: start) { $0.value == Data("after it".utf8) }
                _ = try await crowd.exitStatus(within: .seconds(60))
            }
        }

        /// What becomes of a process of nobody that wants to register with the agent.
        private func intruder(_ program: RestoredProgram) async throws -> String? {
            let script = """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(10)
                try:
                    s.connect(sys.argv[1])
                except PermissionError:
                    sys.exit(print('kept out'))
                try:
                    s.send(b'{"hello":{"_0":{"version":1,"program":"/x","identifier":"x","command":["/x"],'
                           b'"folder":"/","environment":{},"isResuming":false}}}')
                    print('served' if s.recv(100) else 'refused')
                except (BrokenPipeError, ConnectionResetError):
                    print('refused')
                """
            let process = try ChildProcess(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, program.socket])
            _ = try await process.exitStatus(within: .seconds(30))
            return process.lines.last
        }

        /// A thousand connections, some silent, some with garbage, some that flood.
        private static let crowd = """
            import os, resource, socket, sys, time
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            def connect():
                end = time.time() + 30
                while time.time() < end:
                    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                    s.setblocking(False)
                    try:
                        s.connect(sys.argv[1])
                        return s
                    except OSError:
                        s.close()
                        time.sleep(0.001)
            crowd = [connect() for _ in range(1000)]
            print('a thousand', flush=True)
            end = time.time() + 15
            while time.time() < end:
                for index, s in enumerate(crowd):
                    try:
                        if index % 3 == 0: s.send(os.urandom(100 + index))
                        if index % 3 == 1: s.send(b'{"hello":{"_0":{"version":1,"progr')
                    except OSError:
                        crowd[index].close()
                        crowd[index] = connect()
            """
    }
}
