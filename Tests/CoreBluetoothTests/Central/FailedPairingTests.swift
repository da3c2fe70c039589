import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// The error that an app gets when pairing fails, which bluetoothd (5.66) does not report.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct FailedPairingTests {
    private let daemon: FakeBluetoothd
    private let app: CentralApp

    init() async throws {
        daemon = try await .start()
        // As long as no test waits: what ends a wait here is what bluetoothd does.
        app = CentralApp(on: daemon, timing: Self.timing(answerAfterPairing: .seconds(60)))
    }

    private static func timing(answerAfterPairing: Duration) -> BlueZSession.Timing {
        var timing = BlueZSession.Timing()
        timing.pairing = .seconds(60)
        timing.encryption = .seconds(60)
        timing.answerAfterPairing = answerAfterPairing
        return timing
    }

    @LoopActor
    private func device(_ configure: @LoopActor (FakeDevice) -> Void) -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A38", ["read", "write", "notify"], value: Data([1]))])
        configure(device)
        return device
    }

    private func isPaired(_ device: FakeDevice) async -> Bool { await device.isPaired }

    private enum Request: CaseIterable {
        case read, write, subscribe

        var refusal: String {
            switch self {
            case .read: "2A38 refused 0x5"
            case .write: "written 2A38 refused 0x5"
            case .subscribe: "notifying 2A38 false refused 0x5"
            }
        }
    }

    private func make(
        _ request: Request, _ characteristic: CBCharacteristic, of peripheral: CBPeripheral, in other: CentralApp? = nil
    ) {
        (other ?? app).queue.sync {
            switch request {
            case .read: peripheral.readValue(for: characteristic)
            case .write: peripheral.writeValue(Data([2]), for: characteristic, type: .withResponse)
            case .subscribe: peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    // MARK: Requests

    @Test(arguments: Request.allCases)
    private func `a device that wants a passkey is not waited for`(request: Request) async throws {
        let device = await device { $0.characteristic("2A38")?.needsPasskey = true }
        let app = CentralApp(on: daemon, timing: Self.timing(answerAfterPairing: .milliseconds(50)))
        let peripheral = try await app.connected(to: device)
        make(request, try await app.characteristic("2A38", of: peripheral), of: peripheral, in: app)
        try await app.saw(request.refusal + " after pairing")
        #expect(await isPaired(device))
        // Nothing more could be asked over this connection.
        try await app.saw(
            "disconnected failed: The connection was ended because pairing failed: no further request was possible.")
    }

    @Test(arguments: ["RequestPasskey", "RequestPinCode"])
    func `what the agent cannot give is not waited for`(question: String) async throws {
        let device = await device { _ in }
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(
            to: "ReadValue",
            with: .handler { call in
                // bluetoothd gives the read up when the device does, after 30 s.
                device.daemon.agents.ask(question, [device.path.busValue]) { _ in
                    Later.run(after: .seconds(30)) { call.invocation.fail(.att(0x05)) }
                }
            })
        make(.read, location, of: peripheral)
        try await app.saw("2A38 refused 0x5", within: .seconds(20))
    }

    /// bluetoothd collects what it reports. 5.66 may have lost the link.
    @Test(arguments: [
        ("usb:v1D6Bp0246d0542", "2A38 refused 0x5 after pairing"), ("usb:v1D6Bp0246d0552", "2A38 refused 0x5"),
    ])
    func `the pairing and the end of the link can be reported together`(
        modalias: String, refusal: String
    ) async throws {
        await daemon.adapter.set("Modalias", .string(modalias))
        let device = await device { _ in }
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(
            to: "ReadValue",
            with: .handler { call in
                try? device.daemon.connection.emitPropertiesChanged(
                    ["Paired": .boolean(true), "ServicesResolved": .boolean(false), "Connected": .boolean(false)],
                    of: device.interface, at: device.path)
                call.invocation.fail(.att(0x0E))
            })
        make(.read, location, of: peripheral)
        try await app.saw(refusal)
    }

    @Test func `a device that refuses to pair is said to`() async throws {
        let device = await device { device in
            device.characteristic("2A38")?.needsPairing = true
            device.pairing = .refused
        }
        let peripheral = try await app.connected(to: device)
        make(.read, try await app.characteristic("2A38", of: peripheral), of: peripheral)
        try await app.saw("2A38 refused 0x5")
        try await app.saw("disconnected" + Self.refusal)
    }

    @Test func `a device that is paired with is read as ever`() async throws {
        let device = await device { $0.characteristic("2A38")?.needsPairing = true }
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        make(.read, location, of: peripheral)
        try await app.saw("2A38 = 01")
        make(.subscribe, location, of: peripheral)
        try await app.saw("notifying 2A38 true")
        #expect(await isPaired(device))
    }

    /// bluetoothd (5.82, 5.87) asks again while the socket waits for encryption, and says this when the socket refuses.
    @Test(arguments: [("ReadValue", Request.read, "2A38 = 01"), ("WriteValue", .write, "written 2A38")])
    private func `what could not be sent while the link was encrypted is asked again`(
        method: String, request: Request, answer: String
    ) async throws {
        let device = await device { _ in }
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(
            to: method, times: 1,
            with: .handler { call in
                call.invocation.fail(.att(0x0E))
                device.daemon.agents.ask("RequestAuthorization", [device.path.busValue]) { _ in
                    // Longer than the agent is waited for.
                    Later.run(after: .seconds(2)) { device.set("Paired", .boolean(true)) }
                }
            })
        make(request, location, of: peripheral)
        try await app.saw(answer)
        #expect(await daemon.count(of: method) == 2)
        #expect(!app.lines.contains { $0.contains("refused") })
    }

    // MARK: Keys

    private static let keyLoss =
        "not connected failed: The device has lost its pairing keys; remove the pairing and pair again."
    private static let refusal =
        " failed: The device refused to pair. It may remember a pairing that this machine has forgotten; remove that on the "
        + "device."

    /// - Parameter attempts: how many it takes to be sure.
    @Test(arguments: [(false, 3), (true, 1)], [false, true])
    func `a device that has lost its keys is said to`(
        _ reasons: (areReported: Bool, attempts: Int), succeedsWithoutKeys: Bool
    ) async throws {
        let device = await device { device in
            device.set("Paired", .boolean(true))
            device.hasLostKeys = true
            device.reportsReasons = reasons.areReported
            device.succeedsWithoutKeys = succeedsWithoutKeys
        }
        try await app.connect(to: device)
        try await app.saw(Self.keyLoss)
        #expect(!app.lines.contains("connected"))
        #expect(await daemon.count(of: "Connect") == reasons.attempts)
        await device.set("Paired", .boolean(false))
        try await app.connect(to: device)
        try await app.saw("connected")
    }

    @Test func `an app that connects again at once leaves the controller to others`() async throws {
        let device = await device { device in
            device.set("Paired", .boolean(true))
            device.hasLostKeys = true
            device.reportsReasons = true
        }
        let start = ContinuousClock.now
        for count in 1...5 {
            try await app.connect(to: device)
            try await app.saw(Self.keyLoss, count: count)
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200 + 400 + 800 + 1600))
    }

    @Test func `bad luck is no loss of keys`() async throws {
        let device = await device { $0.set("Paired", .boolean(true)) }
        await daemon.react(to: "Connect", times: 2, with: .refuse("Failed", "le-connection-abort-by-local"))
        try await app.connect(to: device)
        try await app.saw("connected")
        #expect(app.lines == ["state on", "connected"])
    }

    @Test func `a paired device that is not there has lost no keys`() async throws {
        let device = await device { $0.set("Paired", .boolean(true)) }
        await daemon.react(to: "Connect", times: 4, with: .refuse("Failed", "br-connection-canceled"))
        try await app.connect(to: device)
        try await app.saw("connected")
        #expect(app.lines == ["state on", "connected"])
    }

    @Test func `a device that keeps keys this machine has lost is said to refuse`() async throws {
        let device = await device { device in
            device.resolutionTime = nil
            device.wantsEncryption = true
            device.pairing = .refused
        }
        try await app.connect(to: device)
        try await app.saw("disconnected" + Self.refusal)
    }
}
