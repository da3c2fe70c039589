import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// What a failed test leaves behind, shown by the sample package's tests, which fail on request.
    @Suite struct FailureBundles {
        private static let products = FixtureProgram.products
        private static let files = [
            "page.html", "summary.txt", "timeline.txt", "hci.btsnoop", "hci.txt", "bus.log", "bluetoothd.log",
            "app.log",
        ]

        @Test func `a test of Swift Testing leaves its record`() async throws {
            // bluetoothd says nothing about what goes well, unless it is asked to.
            let lab = try Lab.here
            setenv("LAB_BLUETOOTHD_OPTIONS", "-d", 1)
            try await lab.bluetoothd(.restart)
            let (folder, output) = try await failure(
                ["--testing-library", "swift-testing", "--filter", "eachValueIsALine"], in: "swift-testing",
                leaving: "LogTests.eachValueIsALine")
            unsetenv("LAB_BLUETOOTHD_OPTIONS")
            try await lab.bluetoothd(.restart)

            #expect(output.contains("/LogTests.eachValueIsALine"), "the place is printed")
            for file in Self.files { #expect(try !text(file, in: folder).isEmpty, "\(file)") }
            let summary = try text("summary.txt", in: folder)
            #expect(summary.contains("LogTests.swift:18") && summary.contains("hci1, powered: true"), "\(summary)")
            #expect(try text("app.log", in: folder).contains(/dittojay\[\d+\] .*"event":"subscribed"/))
            #expect(try text("bus.log", in: folder).contains("member=StartNotify"))
            #expect(
                try text("bluetoothd.log", in: folder).contains(/\d\d:\d\d:\d\d\.\d{6}  bluetoothd  src\/device\.c/))

            try expectTimeline(
                with: [
                    "LogTests.eachValueIsALine begins", "\"event\":\"advertising\"", "Scan Enable",
                    "org.bluez.Device1.Connect", "Connection Complete",
                    "org.bluez.GattCharacteristic1.StartNotify", "Value Notification",
                    "failure: LogTests.swift:18",
                ], in: folder)
            // What the sensor says can be later than what the central does meanwhile.
            try expectTimeline(
                with: ["Connection Complete", "\"event\":\"connected\"", "\"event\":\"subscribed\"", "failure: "],
                in: folder)
        }

        @Test func `btmon reads the capture of that test alone`() async throws {
            let (folder, _) = try await failure(
                ["HeartRateLogTests.LogXCTests/testTheProgramEndsAfterSoManyValues"], in: "xctest",
                leaving: "LogXCTests.testTheProgramEndsAfterSoManyValues")
            let capture = folder.appendingPathComponent("hci.btsnoop").path
            let btmon = try ChildProcess("btmon", ["-T", "-C", "200", "-r", capture], environment: ["TZ": "UTC"])
            #expect(try await btmon.exitStatus(within: .seconds(60)) == 0, "\(btmon.transcript)")
            let lines = btmon.lines
            func count(_ text: String) -> Int { lines.count { $0.contains(text) } }
            #expect(count("BluetoothLab: LogXCTests.testTheProgramEndsAfterSoManyValues begins") == 1)
            #expect(count("BluetoothLab: LogTests") == 0)
            // Both controllers' ends of each, with values that make sense only with the link's beginning.
            #expect(count("LE Connection Complete") + count("LE Enhanced Connection Complete") == 2)
            #expect(count("ATT: Handle Multiple Value Notification") >= 2, "bluetoothd's way to notify one central")
            // btmon has the names of handles from bluetoothd, which forgets a device soon: the record has them.
            let values = try text("hci.txt", in: folder).split(separator: "\n").filter {
                $0.contains("Handle: 0x") && $0.contains("Type: Heart Rate Measurement (0x2a37)")
            }
            #expect(values.count >= 4, "\(btmon.transcript)")
        }

        @Test func `a test of pytest leaves the same record`() async throws {
            let lab = try Lab.here
            let output = lab.output.appendingPathComponent("on-purpose/pytest")
            try? FileManager.default.removeItem(at: output)
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let python = try #require(ProcessInfo.processInfo.environment["LAB_PYTHON"])
            let project = FixtureProgram.file("python-app")
            let tests = try ChildProcess(
                python, ["-m", "pytest", "-p", "no:cacheprovider", "--rootdir", project, project, "-k", "is_read"],
                environment: [
                    "FAIL_ON_PURPOSE": "1", "LAB_RECORD": "1", "LAB_OUT": output.path,
                ])
            #expect(try await tests.exitStatus(within: .seconds(180)) == 1, "\(tests.transcript)")
            let test = "test_gateway.test_the_temperature_is_read"
            let folder = output.appendingPathComponent("failures/\(test)")
            #expect(tests.transcript.contains("/failures/\(test)"), "the place is printed")
            for file in Self.files where file != "bluetoothd.log" {
                #expect(try !text(file, in: folder).isEmpty, "\(file): \(tests.transcript)")
            }
            let summary = try text("summary.txt", in: folder)
            #expect(summary.contains("test_gateway.py:") && summary.contains("hci1, powered: true"), "\(summary)")
            try expectTimeline(
                with: [
                    "\(test) begins", "\"event\":\"advertising\"", "org.bluez.Device1.Connect",
                    "Connection Complete", "ATT: Read Re", "failure: test_gateway.py:",
                ], in: folder)
            try expectTimeline(
                with: ["Connection Complete", "\"event\":\"connected\"", "\"event\":\"read\"", "failure: "],
                in: folder)
        }

        /// What is in each of the records is in the timeline, in the order of its time.
        private func expectTimeline(with steps: [String], in folder: URL) throws {
            let timeline = try text("timeline.txt", in: folder)
            let places = steps.map { timeline.firstRange(of: $0)?.lowerBound }
            for (step, place) in zip(steps, places) { #expect(place != nil, "\(step)") }
            #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(timeline)")
            let times = timeline.split(separator: "\n").map { $0.prefix(26) }
            #expect(times == times.sorted())
        }

        /// Runs tests of the sample package so that they fail.
        ///
        /// - Returns: the folder that the one failed test has left, and what was printed.
        private func failure(
            _ arguments: [String], in folder: String, leaving test: String
        ) async throws -> (folder: URL, output: String) {
            let lab = try Lab.here
            let output = lab.output.appendingPathComponent("on-purpose/\(folder)")
            // The test may run more than once.
            try? FileManager.default.removeItem(at: output)
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let runTests = FixtureProgram.file("../python/bluetooth-lab/src/bluetooth_lab/guest/run-tests")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let tests = try ChildProcess(
                runTests, ["--", "\(Self.products)/sample-appPackageTests.xctest"] + arguments,
                environment: [
                    "FAIL_ON_PURPOSE": "1", "LAB_RECORD": "1", "LAB_OUT": output.path,
                    "PATH": "\(Self.products):\(path)",
                ])
            #expect(try await tests.exitStatus(within: .seconds(180)) == 1, "\(tests.transcript)")
            let failures = output.appendingPathComponent("failures")
            #expect(try FileManager.default.contentsOfDirectory(atPath: failures.path) == [test], "\(tests.transcript)")
            return (failures.appendingPathComponent(test), tests.transcript)
        }

        private func text(_ file: String, in folder: URL) throws -> String {
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(file)), as: UTF8.self)
        }
    }
}
