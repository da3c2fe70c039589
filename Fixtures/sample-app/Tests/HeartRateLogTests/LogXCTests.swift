import BluetoothLab
import HeartRateLog
import XCTest

/// A test in XCTest: the class gives each a sensor of its own.
final class LogXCTests: BluetoothLabTestCase {
    override class var sensor: Sensor.Setup? { .default }

    func testEachValueIsALine() async throws {
        var lines: [String] = []
        try await logHeartRate(count: 2) { lines.append($0) }
        XCTAssertEqual(lines.map { $0.prefix { $0 != "," } }, ["1", "2"])
    }

    func testTheProgramEndsAfterSoManyValues() async throws {
        let program = try ChildProcess("heart-rate-log", ["4"])
        let status = try await program.exitStatus(within: .seconds(60))
        XCTAssertEqual(status, 0, program.transcript)
        // To see what a failure leaves behind: FAIL_ON_PURPOSE=1.
        let count = ProcessInfo.processInfo.environment["FAIL_ON_PURPOSE"] == nil ? 4 : 5
        XCTAssertEqual(program.lines.count, count, program.transcript)
        try await sensor().event(.disconnected)
    }
}
