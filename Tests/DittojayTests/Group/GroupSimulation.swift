import BlueZ
import DBus
import Foundation
import MainLoop
import TestSupport

@testable import Dittojay

/// Several virtual peripherals on a fake bluetoothd, whose time passes only on command: each event is a line without
/// its time.
final class GroupSimulation: Sendable {
    let daemon: FakeBluetoothd
    let queue = DispatchQueue(label: "group")
    private let clock: ManualClock
    let group: PeripheralGroup
    let socket: ControlSocketAddress
    private let folder: TemporaryFolder
    private let journal = Journal()

    /// - Parameter controllers: how many bluetoothd has.
    init(
        _ profiles: [PeripheralProfile] = [.lab, .lab], controllers: Int = 3, on choice: ControllerChoice = .init(),
        name: String? = nil, configure: @LoopActor (FakeBluetoothd) -> Void = { _ in }
    ) async throws {
        let daemon = try await FakeBluetoothd.start(adapters: controllers)
        await configure(daemon)
        self.daemon = daemon
        folder = try TemporaryFolder()
        socket = ControlSocketAddress(path: folder.path + "/socket", environment: [:])
        var timing = BlueZSession.Timing()
        timing.retry = .milliseconds(20)
        timing.settling = .milliseconds(150)
        timing.controllers = .milliseconds(150)
        let session = BlueZSession(timing: timing, handleFolder: "/dev/null") {
            [bus = daemon.bus] () throws(BusError) in try bus.connect()
        }
        clock = ManualClock(queue: queue)
        group = PeripheralGroup(
            GroupPlan(profiles: profiles, name: name, seed: 7), on: choice, controlSocket: socket, clock: clock,
            session: session, folder: folder.runtime)
        queue.sync { [journal, group] in
            group.onEvent = { event in
                if event.kind != .started { journal.note(String(event.text.drop { $0 != " " }.dropFirst())) }
            }
            group.onReady = { journal.note("ready") }
            group.onEnd = { journal.note($0.map { "all ended: \($0)" } ?? "all ended") }
        }
    }

    var lines: [String] { journal.lines }

    func saw(_ line: String, count: Int = 1) async throws { try await journal.saw(line, count: count) }

    func start() { queue.sync { group.start() } }

    /// Lets time pass, and everything happen that is due meanwhile.
    func advance(by seconds: Double) { queue.sync { clock.advance(by: seconds) } }

    /// Starts them and waits until all advertise.
    func run() async throws {
        start()
        try await saw("ready")
    }

    /// Stops them and waits for their end.
    func end() async throws {
        queue.sync { group.stop() }
        try await saw("all ended")
    }

    @discardableResult
    func perform(_ request: ControlRequest, for peripheral: String? = nil) async -> ControlReply {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                group.perform(AddressedRequest(request, for: peripheral)) { continuation.resume(returning: $0) }
            }
        }
    }

    /// The ids of those that run.
    var ids: [String] {
        get async { await perform(.peripherals).peripherals?.map(\.id) ?? [] }
    }

    /// The names that each controller advertises.
    @LoopActor var advertisedNames: [[String?]] { daemon.adapters.map { $0.advertisements.map(\.localName) } }
}
