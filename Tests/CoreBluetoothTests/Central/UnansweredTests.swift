import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// What bluetoothd says of a request that the device has not answered.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct UnansweredTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func device() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A38", ["read", "write"], value: Data([1]))])
        return device
    }

    /// The answers are those of bluetoothd 5.66 to a read whose link has ended.
    @Test(arguments: ["", "Operation failed", "Operation failed with ATT error: 0x0e"])
    func `a read that the link's end has answered is not reported`(message: String) async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(
            to: "ReadValue",
            with: .handler { call in
                if message.isEmpty {
                    call.invocation.reply([.bytes(Data())])
                } else {
                    call.invocation.fail(.bluez("Failed", message))
                }
                device.lose()
            })
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("disconnected failed: The connection was lost.")
        #expect(!app.lines.contains { $0.hasPrefix("2A38") })
    }

    @Test func `what bluetoothd gave up is no error of the device`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(to: "WriteValue", with: .refuse("Failed", "Operation failed with ATT error: 0x00"))
        app.queue.sync { peripheral.writeValue(Data([2]), for: location, type: .withResponse) }
        try await app.saw("written 2A38 failed: the device did not answer")
    }

    @Test func `an unlikely error of the device is one while the link is there`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(to: "ReadValue", with: .refuse("Failed", "Operation failed with ATT error: 0x0e"))
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 refused 0xe")
    }
}
