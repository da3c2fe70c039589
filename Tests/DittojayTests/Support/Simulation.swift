import BlueZ
import DBus
import Dispatch
import Foundation
import GATTProfiles
import MainLoop
import Posix
import Synchronization
import TestSupport

@testable import Dittojay

/// A virtual peripheral on a fake bluetoothd, whose time passes only on command: it notes every event as a line,
/// without its time and with the central's last two digits for its address.
final class Simulation: Sendable {
    let daemon: FakeBluetoothd
    let queue = DispatchQueue(label: "peripheral")
    private let clock: ManualClock
    let peripheral: VirtualPeripheral
    /// What a run leaves behind, to be put back.
    let folder: TemporaryFolder
    private let session: BlueZSession
    private let journal = Journal()
    private let reaction = Mutex<(line: String, request: ControlRequest)?>(nil)

    /// - Parameters:
    ///   - daemon: one with one controller if nil.
    ///   - adapter: the controller's name or address.
    init(
        _ profile: PeripheralProfile = .lab, on daemon: FakeBluetoothd? = nil, adapter: String? = nil,
        folder: TemporaryFolder? = nil
    ) async throws {
        let daemon = if let daemon { daemon } else { try await FakeBluetoothd.start() }
        self.daemon = daemon
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        var timing = BlueZSession.Timing()
        timing.retry = .milliseconds(20)
        timing.settling = .milliseconds(150)
        timing.controllers = .milliseconds(150)
        timing.failedEncryption = .seconds(3600)  // a busy machine makes nothing late
        let session = BlueZSession(timing: timing, handleFolder: "/dev/null") {
            [bus = daemon.bus] () throws(BusError) in try bus.connect()
        }
        self.session = session
        clock = ManualClock(queue: queue)
        let peripheral = VirtualPeripheral(
            profile: profile, options: .init(adapter: adapter, seed: 7), clock: clock, session: session,
            folder: folder.runtime)
        self.peripheral = peripheral
        queue.sync { [journal] in
            peripheral.onEvent = { [weak self] event in
                let text = event.text.drop { $0 != " " }.dropFirst()
                let line = text.replacingOccurrences(of: "C0:00:00:00:00:", with: "")
                journal.note(line)
                self?.react(to: line)
            }
            peripheral.onReady = { journal.note("ready") }
            peripheral.onEnd = { journal.note($0.map { "ended: \($0)" } ?? "ended") }
        }
        // This machine's kernel knows nothing of them.
        await kernelLinks(nil)
        await endLinks { _ in throw BlueZError.notSupported("the end of a link") }
    }

    var lines: [String] { journal.lines }

    /// Has the kernel report this about every link.
    @LoopActor
    func kernelLinks(_ link: KernelLinks.Link?) { session.kernelLink = { _, _ in link } }

    /// Has the kernel end links like this.
    @LoopActor
    func endLinks(_ end: @escaping @LoopActor (_ peer: [UInt8]) async throws -> Void) {
        session.endLink = { _, peer in try await end(peer) }
    }

    /// Carries out a command at the very moment when a line that begins like this is noted.
    func atLine(beginning line: String, _ request: ControlRequest) { reaction.withLock { $0 = (line, request) } }

    private func react(to line: String) {
        let due = reaction.withLock { reaction in
            guard let due = reaction, line.hasPrefix(due.line) else { return ControlRequest?.none }
            reaction = nil
            return due.request
        }
        if let due { peripheral.perform(due) { _ in } }
    }

    /// The lines from the last one that is `line` on.
    func lines(from line: String) -> [String] {
        let lines = lines
        return lines.lastIndex(of: line).map { Array(lines[$0...]) } ?? []
    }

    func saw(_ line: String, count: Int = 1) async throws { try await journal.saw(line, count: count) }

    /// Waits for a line that begins like this.
    @discardableResult
    func sawLine(beginning: String) async throws -> String {
        try await journal.saw(beginning + "…") { lines in lines.contains { $0.hasPrefix(beginning) } }
        return lines.first { $0.hasPrefix(beginning) } ?? ""
    }

    func start() { queue.sync { peripheral.start() } }
    func stop() { queue.sync { peripheral.stop() } }

    /// Starts it and waits until it advertises.
    func run() async throws {
        start()
        try await saw("ready")
    }

    /// Stops it and waits for its end.
    func end() async throws {
        stop()
        try await saw("ended")
    }

    /// Lets time pass for the peripheral, and everything happen that is due meanwhile.
    func advance(by seconds: Double) { queue.sync { clock.advance(by: seconds) } }

    /// - Parameter seconds: how much time passes once it is under way.
    @discardableResult
    func perform(_ request: ControlRequest, advancing seconds: Double? = nil) async -> ControlReply {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                peripheral.perform(request) { continuation.resume(returning: $0) }
                if let seconds { clock.advance(by: seconds) }
            }
        }
    }

    var status: PeripheralStatus { queue.sync { peripheral.status } }
    /// The addresses of those that are connected, the last two digits each.
    var centrals: [String] { status.centrals.map { String($0.address.suffix(2)) } }

    /// Waits until these are connected.
    func hasCentrals(_ expected: [String]) async throws {
        try await eventually("the centrals \(expected)") { self.centrals == expected }
    }

    @LoopActor
    func connect(_ number: String = "02") -> FakeDevice { daemon.adapter.connectCentral("C0:00:00:00:00:" + number) }

    @LoopActor
    func characteristic(_ uuid: String) throws -> FakeLocalCharacteristic {
        try required(daemon.adapter.characteristic(uuid))
    }

    /// A characteristic whose values were turned on by a central.
    @LoopActor
    func subscribed(
        _ uuid: String, by central: FakeDevice, mtu: UInt16 = 517, reads: Bool = true
    ) async throws -> FakeLocalCharacteristic {
        let characteristic = try characteristic(uuid)
        try await subscribe(characteristic, by: central, mtu: mtu, reads: reads)
        return characteristic
    }

    @LoopActor
    func subscribe(
        _ characteristic: FakeLocalCharacteristic, by central: FakeDevice, mtu: UInt16 = 517, reads: Bool = true
    ) async throws {
        let isSubscription = { @Sendable (line: String) in line.hasPrefix("subscribed") }
        let before = lines.count(where: isSubscription)
        try await characteristic.subscribe(by: central, mtu: mtu, reads: reads)
        try await journal.saw("subscribed…") { $0.count(where: isSubscription) > before }
    }
}

extension TemporaryFolder {
    /// As where dittojay keeps what belongs to its run.
    var runtime: RuntimeFolder { RuntimeFolder(program: "dittojay", environment: ["XDG_RUNTIME_DIR": path]) }
}
