import DBus
import Foundation
import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Offering L2CAP channels, above a fake bluetoothd and without a kernel.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ChannelPublishingTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp
    private let kernel = FakeListener()

    init() async throws {
        daemon = try await .start()
        app = PeripheralApp(on: daemon.bus)
        let (app, kernel) = (app, kernel)
        await kernel.install(on: app.session)
        try await app.saw("state on")
    }

    @Test func `channels are offered at the controller until they are withdrawn`() async throws {
        app.act { $0.publishL2CAPChannel(withEncryption: false) }
        try await app.saw("published 128")
        app.act { $0.publishL2CAPChannel(withEncryption: true) }
        try await app.saw("published 129")
        app.act { $0.publishL2CAPChannel(at: 0x90, withEncryption: false) }
        try await app.saw("published 144")
        let adapter = await daemon.adapter.address
        #expect(kernel.offers == ["128 at \(adapter)", "129 at \(adapter), encrypted", "144 at \(adapter)"])
        app.act { $0.unpublishL2CAPChannel(129) }
        try await app.saw("unpublished 129")
        #expect(kernel.offers == ["128 at \(adapter)", "144 at \(adapter)"])
        app.act { $0.unpublishL2CAPChannel(129) }
        try await app.saw("unpublished 129 failed: No L2CAP channel is published at PSM 129.")
    }

    @Test func `a channel that cannot be offered is reported`() async throws {
        kernel.refuses(with: .notSupported("no sockets"))
        app.act { $0.publishL2CAPChannel(withEncryption: false) }
        try await app.saw("published 0 failed: not supported: no sockets")
    }

    @Test func `a central that opens a channel is the one that is known`() async throws {
        app.act { $0.publishL2CAPChannel(withEncryption: false) }
        try await app.saw("published 128")
        _ = await daemon.adapter.connectCentral("C0:00:00:00:00:02")
        let pair = try await ChannelPair(psm: 128)
        await kernel.open(pair.near)
        try await app.saw("channel 128 of 02")
    }

    @Test func `nothing is offered when Bluetooth goes off`() async throws {
        app.act { $0.publishL2CAPChannel(withEncryption: false) }
        try await app.saw("published 128")
        await daemon.adapter.set("Powered", .boolean(false))
        try await app.saw("state off")
        #expect(kernel.offers == [])
        app.act { $0.publishL2CAPChannel(withEncryption: false) }
        app.act { _ in }
        #expect(app.lines.last == "state off")
    }
}

/// The kernel's part of offering channels.
private final class FakeListener: Sendable {
    private struct State {
        var offers: [UInt16: String] = [:]
        var refusal: BlueZError?
        var onChannel: (@LoopActor @Sendable (L2CAPSocket) -> Void)?
    }

    private final class Offer: Sendable {
        let release: @Sendable () -> Void
        init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }

    private let state = Mutex(State())

    var offers: [String] { state.withLock { $0.offers.sorted { $0.key < $1.key }.map(\.value) } }
    func refuses(with error: BlueZError) { state.withLock { $0.refusal = error } }

    @LoopActor
    func open(_ socket: L2CAPSocket) { state.withLock(\.onChannel)?(socket) }

    @LoopActor
    func install(on session: BlueZSession) {
        session.l2cap.listen = { [self] (local, isEncrypted, onChannel) throws(BlueZError) in
            if let error = state.withLock(\.refusal) { throw error }
            let psm = state.withLock { state in
                let psm = local.psm == 0 ? 0x80 + UInt16(state.offers.count) : local.psm
                state.offers[psm] = "\(psm) at \(local.device)" + (isEncrypted ? ", encrypted" : "")
                state.onChannel = { onChannel($0) }
                return psm
            }
            return (psm, Offer { [self] in state.withLock { $0.offers[psm] = nil } })
        }
    }
}
