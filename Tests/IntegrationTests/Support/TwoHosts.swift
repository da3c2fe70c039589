import Bluejay
import BluetoothLab
import CoreBluetooth
import Testing

/// The root of all tests that need a lab with two hosts: the sensor is on host a, the tests and their central on host
/// b. Each has its own kernel, system bus and bluetoothd.
///
/// In a lab with one host and outside of one they are skipped, and say so.
@Suite(
    .serialized, .bluetoothLab(controllers: 1),
    .enabled(if: Lab.current?.host == "b", "skipped: no lab with two hosts (./lab test has one)"))
enum OnTwoHosts {}

extension Lab {
    /// Runs a program on the sensor's host until it has ended well; its output.
    @discardableResult
    static func runAtSensor(_ program: String, _ arguments: String...) async throws -> [String] {
        let process = try ChildProcess(on: sensorHost, program, arguments)
        let status = try await process.exitStatus(within: .seconds(60))
        guard status == 0 else { throw LabError("exit status \(status): \(process.transcript)") }
        return process.lines
    }
}

/// Makes both hosts forget what they know of the other one.
func forgetEachOtherOnTwoHosts() async throws {
    try await Lab.here.forget(Lab.sensorAddress, on: Lab.centralAdapter)
    // bluetoothd may forget one that never paired before it is asked to.
    let removal = try ChildProcess(on: Lab.sensorHost, "bluetoothctl", ["remove", Lab.centralAddress])
    _ = try await removal.exitStatus()
}

/// Runs a test with a sensor on host a and a central that is connected to it, neither of which knows the other one.
func betweenHosts(_ options: String..., body: (Sensor, Central) async throws -> Void) async throws {
    try await forgetEachOtherOnTwoHosts()
    let sensor = try await Sensor(options)
    let central = try await Central()
    do {
        try await central.connectToSensor()
        try await body(sensor, central)
        try await central.disconnect()
    } catch {
        // The next test needs the controllers.
        central.bluejay.cancelEverything()
        _ = try? await sensor.process.interrupt()
        throw error
    }
    try await sensor.stop()
}

extension Central {
    /// Reads what a sensor on another host pairs for.
    ///
    /// bluetoothd 5.66 loses that request if it does not run between asking and the sensor's refusal, as on a busy
    /// machine, and the link with it if the sensor's host asks something meanwhile (docs/bluez-limits.md). Then this
    /// does what the error advises, and what that of the next connection advises if the link ended when only this host
    /// had its keys: each time, as while the sensor's host asks on and on the same may happen again.
    func readWithPairing() async throws -> String {
        // The observer may hear of the connection after whoever made it.
        try await observer.connections.first()
        for _ in 0..<5 {
            let (connections, ends) = (observer.connections.values.count, observer.disconnections.values.count)
            do {
                return try await read(.pairingText)
            } catch let error as CBATTError where error.localizedDescription.contains("Connect and try again") {
                try await observer.disconnections.first(after: ends)
                if try await isPairedAlone() { try await forgetEachOtherOnTwoHosts() }
                try await observer.connections.first(after: connections)
            }
        }
        return try await read(.pairingText)
    }

    /// Whether this host takes the two for paired, and the sensor's does not.
    private func isPairedAlone() async throws -> Bool {
        let info = try ChildProcess(on: Lab.sensorHost, "bluetoothctl", ["info", Lab.centralAddress])
        _ = try await info.exitStatus()
        guard !info.lines.contains(where: { $0.contains("Paired: yes") }) else { return false }
        return try await Lab.here.isPaired(Lab.sensorAddress, on: Lab.centralAdapter)
    }
}
