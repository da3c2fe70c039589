import BluetoothLab
import Foundation
import HeartRateLog
import Testing

/// Tests in Swift Testing: each has a sensor of its own.
@Suite(.bluetoothLab(sensor: .default))
struct LogTests {
    @Test func eachValueIsALine() async throws {
        var lines: [String] = []
        try await logHeartRate(count: 3) { lines.append($0) }
        #expect(lines.count == 3)
        // To see what a failure leaves behind: FAIL_ON_PURPOSE=1, or =kernel or =crash for what is below the test.
        let purpose = ProcessInfo.processInfo.environment["FAIL_ON_PURPOSE"]
        if purpose == "kernel" { try Data("WARNING: on purpose\n".utf8).write(to: URL(fileURLWithPath: "/dev/kmsg")) }
        if purpose == "crash" { try await crashBluetoothd() }
        let first = purpose == nil || purpose == "kernel" ? "1," : "one,"
        #expect(lines[0].hasPrefix(first))
    }

    /// Returns when the next one runs.
    private func crashBluetoothd() async throws {
        let text = """
            daemon=$(lab-bluetoothd status)
            kill -SEGV "$daemon"
            while kill -0 "$daemon" 2>/dev/null; do sleep 0.05; done
            lab-bluetoothd start
            """
        let crash = try ChildProcess("sh", ["-c", text])
        #expect(try await crash.exitStatus(within: .seconds(120)) == 0, "\(crash.transcript)")
    }

    /// A sensor with other options, and the program as its users start it.
    @Test(.bluetoothLab(sensor: .dittojay("--rate", "10", "--rate-format", "uint16")))
    func theProgramTakesSixteenBitRates() async throws {
        let program = try ChildProcess("heart-rate-log", ["5"])
        #expect(try await program.exitStatus(within: .seconds(60)) == 0, "\(program.transcript)")
        #expect(program.lines.count == 5, "\(program.transcript)")
    }
}

/// A trait serves a single test as well.
@Test(.bluetoothLab(sensor: .default)) func theSensorIsLeftAlone() async throws {
    let sensor = try Sensor.here
    try await logHeartRate(count: 1) { _ in }
    try await sensor.event(.subscribed) { $0.characteristic == "heart-rate-measurement" }
    try await sensor.event(.disconnected)
}

/// What needs no Bluetooth needs no lab.
@Test func aRateIsDecoded() throws {
    #expect(try HeartRate(bluetoothData: Data([0, 72])).beatsPerMinute == 72)
    #expect(try HeartRate(bluetoothData: Data([1, 44, 1])).beatsPerMinute == 300)
    #expect(throws: (any Error).self) { try HeartRate(bluetoothData: Data([1, 44])) }
}
