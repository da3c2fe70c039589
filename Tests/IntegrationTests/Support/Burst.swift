import BluetoothLab
import Foundation
import GATTProfiles
import Testing

/// Has the sensor send a burst, and checks that all of it arrives at the central, which is connected, in order.
///
/// - Parameter size: of each notification, in bytes.
func expectBurst(
    _ count: Int, size: Int, _ options: [String] = [], from sensor: Sensor, to central: Central
) async throws {
    let values = try await central.listen(to: .chirp, on: sensor)
    let client = try sensor.client(["burst", "--count", "\(count)", "--size", "\(size)"] + options)
    let received = try await values.values(count, within: .seconds(240))
    #expect(try await client.exitStatus() == 0)
    let sequence = try received.map { try ChirpService.Burst.number(in: $0.get()) }
    #expect(sequence == (0..<UInt32(count)).map { $0 })
    #expect(try received.allSatisfy { try $0.get().count == size })
    try await central.endListen(to: .chirp)
    #expect(values.values.count == count, "nothing arrives twice")
}
