import Foundation
import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Opening L2CAP channels, above a fake bluetoothd and without a kernel.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ChannelOpeningTests {
    private let daemon: FakeBluetoothd
    private let device: FakeDevice
    private let app: CentralApp
    private let kernel = FakeKernel()
    private let peripheral: CBPeripheral

    init() async throws {
        daemon = try await .start()
        device = await daemon.adapter.addDevice("C0:00:00:00:00:02")
        app = CentralApp(on: daemon)
        let (app, kernel) = (app, kernel)
        await kernel.install(on: app.session)
        peripheral = try await app.connected(to: device)
    }

    private func open(_ psm: CBL2CAPPSM) { app.queue.sync { peripheral.openL2CAPChannel(psm) } }

    @Test func `a channel is opened by the controller of the link to the device's address`() async throws {
        open(0x80)
        let opening = try await kernel.openings.next()
        let adapter = await daemon.adapter.address
        #expect(opening.local == L2CAPAddress(device: adapter, isRandom: false))
        #expect(opening.peer == L2CAPAddress(device: "C0:00:00:00:00:02", isRandom: true, psm: 0x80))
        let pair = try await ChannelPair(psm: 0x80)
        await opening.completion(.success(pair.near))
        try await app.saw("channel 128 to true")
    }

    @Test func `refusals are reported as errors of the link`() async throws {
        open(0x80)
        try await kernel.openings.next().completion(.failure(.connectionFailed("refused")))
        try await app.saw("channel none failed: the connection failed: refused")
        await kernel.refuses(with: .notSupported("no sockets"))
        open(0x80)
        try await app.saw("channel none failed: not supported: no sockets")
        await app.setKernelLink(.absent)
        open(0x80)
        try await app.saw("channel none failed: the device is not connected")
    }

    @Test func `several are opened at once`() async throws {
        for psm in [0x80, 0x81] as [CBL2CAPPSM] { open(psm) }
        let openings = try await kernel.openings.next(2)
        for opening in openings.reversed() {
            let pair = try await ChannelPair(psm: opening.peer.psm)
            await opening.completion(.success(pair.near))
        }
        try await app.saw("channel 128 to true")
        #expect(app.lines.suffix(2) == ["channel 129 to true", "channel 128 to true"])
    }

    @Test func `an opening ends with the link and is not reported`() async throws {
        open(0x80)
        let opening = try await kernel.openings.next()
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
        try await eventually("the end of the opening") { [kernel] in kernel.openCount == 0 }
        await opening.completion(.failure(.notConnected))
        open(0x80)
        app.queue.sync {}
        #expect(!app.lines.contains { $0.hasPrefix("channel") })
    }
}

extension CentralApp {
    @LoopActor
    fileprivate func setKernelLink(_ link: KernelLinks.Link?) { session.kernelLink = { _, _ in link } }
}

/// The kernel's part of opening channels.
private final class FakeKernel: Sendable {
    struct Opening: Sendable {
        let local: L2CAPAddress
        let peer: L2CAPAddress
        let completion: @LoopActor @Sendable (Result<L2CAPSocket, BlueZError>) -> Void
    }

    /// Counts those that are not released.
    private final class Token: Sendable {
        let release: @Sendable () -> Void
        init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }

    let openings = AwaitedValues<Opening>()
    private let count = Mutex(0)
    private let refusal = Mutex<BlueZError?>(nil)

    var openCount: Int { count.withLock { $0 } }

    func refuses(with error: BlueZError) async { refusal.withLock { $0 = error } }

    @LoopActor
    func install(on session: BlueZSession) {
        session.kernelLink = { _, _ in nil }
        session.l2cap.connect = { [self] (local, peer, completion) throws(BlueZError) in
            if let error = refusal.withLock({ $0 }) { throw error }
            count.withLock { $0 += 1 }
            openings.put(Opening(local: local, peer: peer, completion: { completion($0) }))
            return Token { [self] in count.withLock { $0 -= 1 } }
        }
    }
}
