import BlueZ
import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// The programs' `doctor`, on a machine that is really broken; and what it says, done.
    @Suite struct Doctor {
        // MARK: Healthy

        @Test func `a healthy machine is healthy`() async throws {
            let summary = try await summary()
            let central = try await doctor("bluejay", Lab.centralAdapter)
            #expect(central.lines.last == summary)
            let peripheral = try await doctor("dittojay", Lab.sensorAdapter)
            #expect(peripheral.lines.last == summary)
            #expect(peripheral.lines.contains { $0.contains("\(Lab.sensorAdapter) \(Lab.sensorAddress)") })
        }

        @Test func `the version is that of the program`() async throws {
            let process = try ChildProcess("lab-bluetoothd", ["status"])
            #expect(try await process.exitStatus() == 0)
            let program = try ChildProcess("/proc/\(try #require(process.lines.first))/exe", ["--version"])
            #expect(try await program.exitStatus() == 0)
            let report = try await doctor("bluejay", Lab.centralAdapter)
            try #expect(report.transcript.contains("bluetoothd \(#require(program.lines.first))"))
        }

        @Test func `a sensor that runs and a scan are no obstacle`() async throws {
            let sensor = try await Sensor()
            let scan = try ChildProcess("bluejay", ["scan", "--timeout", "0", "--adapter", Lab.centralAdapter])
            try await scan.line(containing: Lab.sensorAddress)
            let summary = try await summary()
            #expect(try await doctor("dittojay", Lab.sensorAdapter).lines.last == summary)
            // That somebody scans is said unless the scan is just beginning again, as it does every second.
            #expect(try await doctor("bluejay", Lab.centralAdapter).lines.last == summary)
            try await scan.interrupt()
            try await sensor.stop()
        }

        /// The last line on a machine with so many things to warn of, besides what is known of bluetoothd's release.
        private func summary(besides warnings: Int = 0) async throws -> String {
            let count = try await warnings + (Lab.here.bluezVersion() == BlueZVersion(5, 87) ? 1 : 0)
            return count == 0 ? "no problems" : count == 1 ? "1 warning" : "\(count) warnings"
        }

        // MARK: Bus and bluetoothd

        @Test func `without a bus`() async throws {
            let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"]
            for program in ["bluejay", "dittojay"] {
                let process = try ChildProcess(program, ["doctor"], environment: environment)
                #expect(try await process.exitStatus() == 4)
                #expect(process.transcript.contains("no system bus at unix:path=/nowhere/bus"))
                #expect(process.transcript.contains("unset DBUS_SYSTEM_BUS_ADDRESS"))
            }
        }

        @Test func `bluetoothd is stopped`() async throws {
            let lab = try Lab.here
            try await lab.bluetoothd(.stop)
            do {
                let report = try await doctor("bluejay", Lab.centralAdapter, expecting: 4)
                #expect(problems(report).map(\.topic) == ["bluetoothd"])
                // On this machine it is the lab that starts it.
                #expect(problems(report).first?.remedies == ["sudo service bluetooth start"])
                try await doctor("dittojay", Lab.sensorAdapter, expecting: 4)
            } catch {
                try await lab.bluetoothd(.start)
                throw error
            }
            try await fix("sudo service bluetooth start")
            try await doctor("bluejay", Lab.centralAdapter)
        }

        @Test func `bluetoothd does not answer`() async throws {
            let process = try ChildProcess("lab-bluetoothd", ["status"])
            #expect(try await process.exitStatus() == 0)
            let daemon = try #require(process.lines.first.flatMap(Int32.init))
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            let report = try await doctor("bluejay", Lab.centralAdapter, expecting: 4)
            #expect(problems(report).map(\.topic) == ["bluetoothd"])
            #expect(report.transcript.contains("does not answer"))
        }

        @Test func `a second bluetoothd is found`() async throws {
            let program = NSTemporaryDirectory() + "/bluetoothd"
            try? FileManager.default.removeItem(atPath: program)
            try FileManager.default.copyItem(atPath: "/bin/bash", toPath: program)
            let second = try ChildProcess(program, ["-c", "echo is bluetoothd now; read"])
            try await second.line(containing: "is bluetoothd now")
            let report = try await doctor("bluejay", Lab.centralAdapter, expecting: 4)
            let problem = try #require(problems(report).first)
            #expect(problem.topic == "bluetoothd")
            #expect(problem.remedies == ["sudo kill \(second.identifier)"])
            try await fix(problem.remedies[0])
            _ = try await second.exitStatus()
            try await doctor("bluejay", Lab.centralAdapter)
        }

        // MARK: Permission

        /// Debian 12 lets everybody; other distributions only root and a group.
        @Test func `a user whom the bus refuses`() async throws {
            let policy = "/etc/dbus-1/system.d/bluetooth.conf"
            let original = try String(contentsOfFile: policy, encoding: .utf8)
            let rule = try #require(original.range(of: #"<policy context="default">"#))
            let end = try #require(original.range(of: "</policy>", range: rule.upperBound..<original.endIndex))
            var strict = original
            strict.removeSubrange(rule.lowerBound..<end.upperBound)
            try await doctor("bluejay", Lab.centralAdapter, as: "nobody")
            try await withFile(policy, strict, after: reloadBus) {
                try await doctor("bluejay", Lab.centralAdapter)
                let report = try await doctor("bluejay", Lab.centralAdapter, as: "nobody", expecting: 4)
                #expect(problems(report).map(\.topic) == ["permission"])
                let remedies = try #require(problems(report).first?.remedies)
                #expect(remedies == ["sudo usermod -aG bluetooth nobody"])
                let groups = try String(contentsOfFile: "/etc/group", encoding: .utf8)
                try await fix(remedies[0])
                try await reloadBus()
                try await doctor("bluejay", Lab.centralAdapter, as: "nobody")
                try await doctor("dittojay", Lab.sensorAdapter, as: "nobody")
                try write(groups, to: "/etc/group")
            }

            // The same where the policy names nobody.
            let group = try #require(strict.range(of: #"<policy group="bluetooth">"#))
            let last = try #require(strict.range(of: "</policy>", range: group.upperBound..<strict.endIndex))
            strict.removeSubrange(group.lowerBound..<last.upperBound)
            try await withFile(policy, strict, after: reloadBus) {
                let report = try await doctor("dittojay", Lab.sensorAdapter, as: "nobody", expecting: 4)
                let remedies = try #require(problems(report).first?.remedies)
                #expect(remedies.first?.contains("tee /etc/dbus-1/system.d/bluetooth-nobody.conf") == true)
                try await fix(remedies[0])
                try await reloadBus()
                try await doctor("dittojay", Lab.sensorAdapter, as: "nobody")
                try FileManager.default.removeItem(atPath: "/etc/dbus-1/system.d/bluetooth-nobody.conf")
            }
        }

        @Test func `a user whom the machine does not know`() async throws {
            let report = try await doctor("bluejay", Lab.centralAdapter, as: "4711", expecting: 4)
            #expect(problems(report).map(\.topic) == ["bus"])
            let accounts = ["/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow"]
            let files = try accounts.map { try String(contentsOfFile: $0, encoding: .utf8) }
            try await fix(try #require(problems(report).first?.remedies.first))
            try await doctor("bluejay", Lab.centralAdapter, as: "4711")
            for (path, text) in zip(accounts, files) { try write(text, to: path) }
        }

        // MARK: Adapter

        @Test func `there is no such adapter`() async throws {
            let central = try await doctor("bluejay", "hci9", expecting: 4)
            #expect(problems(central).map(\.topic) == ["adapter"])
            #expect(central.transcript.contains(Lab.centralAddress))
            let peripheral = try await doctor("dittojay", "hci9", expecting: 4)
            #expect(problems(peripheral).map(\.topic) == ["adapter"])
        }

        @Test func `the adapter is off`() async throws {
            let lab = try Lab.here
            try await lab.power(off: Lab.centralAdapter)
            let report = try await doctor("bluejay", Lab.centralAdapter, expecting: 4)
            #expect(problems(report).map(\.topic) == ["power"])
            // dittojay switches its adapter on.
            try await doctor("dittojay", Lab.centralAdapter)
            try await fix(try #require(problems(report).first?.remedies.first))
            try await doctor("bluejay", Lab.centralAdapter)
        }

        @Test func `the adapter is blocked`() async throws {
            let lab = try Lab.here
            let folder = "/sys/class/rfkill"
            let device = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder).first {
                    (try? String(contentsOfFile: "\(folder)/\($0)/name", encoding: .utf8)) == "\(Lab.sensorAdapter)\n"
                }, "the kernel has no rfkill switch for \(Lab.sensorAdapter)")
            try write("1", to: "\(folder)/\(device)/soft")
            let report = try await doctor("dittojay", Lab.sensorAdapter, expecting: 4)
            #expect(problems(report).map(\.topic) == ["radio"])
            try await doctor("bluejay", Lab.sensorAdapter, expecting: 4)
            try await doctor("bluejay", Lab.centralAdapter)
            try await fix(try #require(problems(report).first?.remedies.first))
            try await doctor("dittojay", Lab.sensorAdapter)
            try await lab.power(on: Lab.sensorAdapter)
        }

        @Test func `there is no room for another advertisement`() async throws {
            let lab = try Lab.here
            var sensors: [Sensor] = []
            while try await lab.advertisementsLeft(on: Lab.sensorAdapter) > 0 {
                try #require(sensors.count < 10)
                sensors.append(try await Sensor())
            }
            let report = try await doctor("dittojay", Lab.sensorAdapter, expecting: 4)
            #expect(problems(report).map(\.topic) == ["advertising"])
            #expect(report.transcript.contains("other programs use \(sensors.count)"))
            for sensor in sensors.reversed() { try await sensor.stop() }
            try await doctor("dittojay", Lab.sensorAdapter)
        }

        // MARK: Settings

        @Test func `several channels are warned of`() async throws {
            // Older kernels do not use them unless they are told to.
            let parameter = "/sys/module/bluetooth/parameters/enable_ecred"
            let former = try String(contentsOfFile: parameter, encoding: .utf8)
            try "Y".write(toFile: parameter, atomically: false, encoding: .utf8)
            defer { try? former.write(toFile: parameter, atomically: false, encoding: .utf8) }
            let file = Lab.bluetoothdSettings
            let original = try String(contentsOfFile: file, encoding: .utf8)
            let several = original.replacingOccurrences(of: "Channels = 1", with: "Channels = 3")
            #expect(several != original)
            try await withFile(file, several) {
                let report = try await doctor("bluejay", Lab.centralAdapter)
                #expect(try await report.lines.last == summary(besides: 1))
                try await doctor("bluejay", Lab.centralAdapter, "--strict", expecting: 4)
                let json = try await doctor("bluejay", Lab.centralAdapter, "--json")
                let warning = try #require(
                    findings(json).first { $0.verdict == "warning" && $0.topic != "version" })
                #expect(warning.topic == "settings")
                try await fix(try #require(warning.remedies.first))
                let healed = try await doctor("bluejay", Lab.centralAdapter)
                #expect(try await healed.lines.last == summary())
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("[GATT]\nChannels = 1\n") && !text.contains("Channels = 3"))
            }
        }

        @Test func `short sockets are warned of`() async throws {
            let file = "/proc/sys/net/core/wmem_default"
            let original = try String(contentsOfFile: file, encoding: .utf8)
            try write("16384", to: file)
            let report = try await doctor("bluejay", Lab.centralAdapter, "--json")
            let warning = findings(report).first { $0.verdict == "warning" && $0.topic != "version" }
            try write(original, to: file)
            #expect(warning?.topic == "sockets")
        }
    }
}
