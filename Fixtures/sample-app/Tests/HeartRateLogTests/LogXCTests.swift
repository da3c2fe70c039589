import BluetoothLab
import HeartRateLog
import XCTest

/// The same with XCTest.
final class LogXCTests: BluetoothLabTestCase {
    override class var sensor: Sensor.Setup? { .default }

    func testTheLogOutlivesAChirp() async throws {
        let program = try ChildProcess("heart-rate-log", ["4"])
        let sensor = try sensor()
        try await sensor.event("subscribed", "heart-rate-measurement", within: .seconds(60))
        try await sensor.command("chirp", "hello")
        let status = try await program.exitStatus(within: .seconds(60))
        XCTAssertEqual(status, 0, program.transcript)
        // To see what a failure leaves behind: FAIL_ON_PURPOSE=1.
        let count = ProcessInfo.processInfo.environment["FAIL_ON_PURPOSE"] == nil ? 4 : 5
        XCTAssertEqual(program.lines.count, count, program.transcript)
    }
}
