import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// What an app learns of the end of a link.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct DisconnectionReasonTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func device() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A38", ["read"], value: Data([1]))])
        device.show()
        return device
    }

    /// The code and the words for each reason.
    private static let errors: [(DisconnectionReason?, CBError.Code, String)] = [
        (.timeout, .connectionTimeout, "The connection was lost: supervision timeout."),
        (.remote, .peripheralDisconnected, "The device ended the connection."),
        (.local, .operationCancelled, "This machine ended the connection."),
        (.authentication, .encryptionTimedOut, "The connection ended because it could not be encrypted."),
        (.suspend, .operationCancelled, "The connection ended because this machine went to sleep."),
        (.unknown, .connectionFailed, "The connection failed."),
        (nil, .peripheralDisconnected, "The connection was lost."),
    ]

    @Test(arguments: errors)
    private func `each reason is an error of its own`(
        reason: DisconnectionReason?, code: CBError.Code, text: String
    ) {
        let error = CBError(reason)
        #expect(error.code == code && error.localizedDescription == text)
    }

    @Test(arguments: errors)
    private func `the reason is bluetoothd's`(
        reason: DisconnectionReason?, code: CBError.Code, text: String
    ) async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        await device.lose(because: reason.map { "\($0)".capitalized })
        try await app.saw("disconnected failed: \(text)")
    }

    /// As with a bluetoothd that does not say it.
    @Test(arguments: errors.filter { $0.0 != nil })
    private func `the reason is the kernel's`(
        reason: DisconnectionReason?, code: CBError.Code, text: String
    ) async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let kernel = await FakeKernel(app.session)
        _ = try await app.connected(to: device)
        await kernel.lose(device, try required(reason))
        try await app.saw("disconnected failed: \(text)")
    }

    @Test func `the kernel's reason is that of the last link`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let kernel = await FakeKernel(app.session)
        let peripheral = try await app.connected(to: device)
        await kernel.lose(device, .timeout)
        try await app.saw("disconnected failed: The connection was lost: supervision timeout.")
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        await kernel.lose(device, .remote)
        try await app.saw("disconnected failed: The device ended the connection.")
        // The kernel says nothing of this one.
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 3)
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
    }

    @Test func `the reason of a link that goes with the device's object is known`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let kernel = await FakeKernel(app.session)
        _ = try await app.connected(to: device)
        await kernel.note(device, .local)
        await device.beForgotten(silently: true)
        try await app.saw("disconnected failed: This machine ended the connection.")
    }

    @Test func `a link that is lost while its keys are there is no loss of keys`() async throws {
        let device = await device()
        await device.set("Paired", .boolean(true))
        let app = CentralApp(on: daemon)
        _ = try await app.connected(to: device)
        await device.lose(because: "Timeout")
        try await app.saw("disconnected failed: The connection was lost: supervision timeout.")
    }

    @Test func `an end that was asked for has no reason`() async throws {
        let device = await device()
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        app.act { $0.cancelPeripheralConnection(peripheral) }
        try await app.saw("disconnected")
    }
}

/// What a kernel reports of links.
@LoopActor
private final class FakeKernel {
    private var ends: [EndedLink] = []

    init(_ session: BlueZSession) {
        session.endedLinks = { [self] in
            defer { ends = [] }
            return ends
        }
    }

    func note(_ device: FakeDevice, _ reason: DisconnectionReason) {
        ends.append(EndedLink(controller: 0, address: device.address, reason: reason))
    }

    /// The link ends: the kernel reports it first.
    func lose(_ device: FakeDevice, _ reason: DisconnectionReason) {
        note(device, reason)
        device.lose()
    }
}
