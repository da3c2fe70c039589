import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// What bluetoothd is asked to look for, and which of the devices that it sees are reported.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct DiscoveryTests {
    private nonisolated static let safe = "usb:v1D6Bp0246d0552"
    private nonisolated static let dangerous = "usb:v1D6Bp0246d0557"

    @Test(arguments: [safe, "usb:v1D6Bp0246d0542", "usb:v1D6Bp0246d0556"])
    func `bluetoothd is asked for the services where it survives that`(modalias: String) async throws {
        try await scanning(with: modalias) { bench in
            let services = try bench.filter()["UUIDs"].flatMap([String].init(busValue:))
            #expect(services == [Bench.wanted])
        }
    }

    @Test(arguments: [dangerous, "usb:v1D6Bp0246d0558", "bluetooth:v05F1p1234d0552", nil])
    func `bluetoothd is not asked for services where that may end it`(modalias: String?) async throws {
        try await scanning(with: modalias) { bench in
            let filter = try bench.filter()
            #expect(filter["UUIDs"] == nil && filter["Transport"] == .string("le"))
        }
    }

    @Test(arguments: [safe, dangerous])
    func `only devices that advertise the service are reported`(modalias: String) async throws {
        try await scanning(with: modalias) { bench in
            let device = try await bench.add(advertising: ["180F", "180D"])
            let other = try await bench.add("C0:00:00:00:00:02", advertising: ["180F"])
            try await bench.add("C0:00:00:00:00:03", advertising: [])
            try await bench.see(other, after: .seconds(10))
            #expect(bench.sighted == [device.address] && bench.removals == 0)
        }
    }

    /// With a controller for LE alone, bluetoothd 5.82 and 5.87 report such devices only to a client that sets a
    /// filter.
    @Test(arguments: [safe, dangerous])
    func `a device that is not discoverable is reported`(modalias: String) async throws {
        try await scanning(with: modalias) { bench in
            let device = try await bench.add(advertising: ["180D"], isDiscoverable: false)
            #expect(bench.sighted == [device.address])
        }
    }

    @Test func `a scan that has ended leaves no filter`() async throws {
        try await scanning(with: Self.safe) { bench in
            await bench.end()
            let filter = try bench.lastFilter()
            #expect(!filter.isEmpty, "a connection does not wait for that")
            try await eventually("it is taken back") { (try? bench.lastFilter().isEmpty) == true }
        }
    }

    @Test func `the filter of a scan that goes on stays`() async throws {
        try await scanning(with: Self.safe) { bench in
            await bench.discovery.takeFilterBack()
            let filter = try bench.lastFilter()
            #expect(!filter.isEmpty)
        }
    }

    @Test func `a bluetoothd that knows no patterns scans as well`() async throws {
        try await scanning(with: Self.dangerous, knowsPatterns: false) { bench in
            let device = try await bench.add(advertising: ["180D"])
            #expect(bench.sighted == [device.address])
        }
    }

    @Test func `what bluetoothd lets through advertises the service whatever it reports`() async throws {
        try await scanning(with: Self.safe) { bench in
            let device = try await bench.add(advertising: ["180D"], reporting: ["1800", "180F"])
            try await bench.see(device, after: .seconds(10))
            #expect(bench.sighted == [device.address, device.address] && bench.removals == 0)
        }
    }

    @Test func `a device that was connected is reported for a service that it has`() async throws {
        try await scanning(with: Self.dangerous) { bench in
            let device = try await bench.add(advertising: [], reporting: ["1800", "180D"])
            try await bench.see(device, after: .seconds(10))
            #expect(bench.sighted == [device.address, device.address] && bench.removals == 0)
        }
    }

    @Test func `a device whose advertised services are not reported is forgotten and found anew`() async throws {
        try await scanning(with: Self.dangerous) { bench in
            let device = try await bench.add(advertising: ["180D"], reporting: ["1801", "180F"])
            try await bench.see(device, after: .milliseconds(1900))
            #expect(bench.removals == 0, "somebody may be connecting to it")
            try await bench.see(device, after: .milliseconds(100))
            #expect(bench.removals == 1 && bench.sighted.isEmpty)
            try await bench.see(device, after: .zero)
            #expect(bench.sighted == [device.address])
        }
    }

    @Test func `a device that advertises what others only have is forgotten once`() async throws {
        try await scanning(with: Self.dangerous) { bench in
            let device = try await bench.add(advertising: ["1800"])
            for _ in 0..<5 { try await bench.see(device, after: .seconds(2)) }
            #expect(bench.removals == 1 && bench.sighted.isEmpty)
        }
    }

    @Test(arguments: ["Paired", "Trusted", "Blocked"])
    func `a device that somebody would miss is not forgotten`(because property: String) async throws {
        try await scanning(with: Self.dangerous) { bench in
            let device = try await bench.add(advertising: ["180D"], reporting: ["1800"], setting: property)
            for _ in 0..<3 { try await bench.see(device, after: .seconds(2)) }
            #expect(bench.removals == 0 && bench.sighted.isEmpty)
        }
    }

    @Test func `a device with a name of its users is not forgotten`() async throws {
        try await scanning(with: Self.dangerous) { bench in
            let device = try await bench.add(advertising: ["180D"], reporting: ["1800"])
            device.set("Alias", .string("Grandma's"))
            for _ in 0..<3 { try await bench.see(device, after: .seconds(2)) }
            #expect(bench.removals == 0 && bench.sighted.isEmpty)
        }
    }

    // MARK: Beside another program's scan

    /// The controller has reported them to that scan, and does not do so again.
    @Test(arguments: [safe, dangerous])
    func `what another program's scan has found is reported once`(modalias: String) async throws {
        let found: @LoopActor (FakeAdapter) -> Void = { adapter in
            adapter.startOtherScan()
            adapter.addDevice("C0:00:00:00:00:01")
            adapter.addDevice("C0:00:00:00:00:02", advertising: ["180F"])
            let connected = adapter.addDevice("C0:00:00:00:00:03")
            connected.resolutionTime = nil
            connected.comeUp()
        }
        try await scanning(with: modalias, after: found) { bench in
            try await bench.restart(times: 2)
            #expect(bench.sighted == ["C0:00:00:00:00:01"])
        }
    }

    @Test func `what a scan that has ended had found is not reported`() async throws {
        let gone: @LoopActor (FakeAdapter) -> Void = { adapter in
            adapter.startOtherScan()
            adapter.addDevice().isAdvertising = false
            adapter.stopOtherScan()
        }
        try await scanning(with: Self.safe, after: gone) { bench in
            try await bench.restart(times: 2)
            #expect(bench.sighted.isEmpty)
        }
    }

    /// - Parameter preparation: what happens before the scan begins.
    private func scanning(
        with modalias: String?, knowsPatterns: Bool = true,
        after preparation: @LoopActor (FakeAdapter) -> Void = { _ in }, _ body: @LoopActor (Bench) async throws -> Void
    ) async throws {
        let bench = try await Bench(modalias: modalias, knowsPatterns: knowsPatterns, after: preparation)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(bench)) } catch { outcome = .failure(error) }
        await bench.end()
        try outcome.get()
    }
}

/// A scan for the heart rate service that has begun.
@LoopActor
private final class Bench {
    static let wanted = full("180D")

    private let daemon: FakeBluetoothd
    private let session: BlueZSession
    let discovery: Discovery
    private let clock: Clock
    private var scan: Registration?
    /// The addresses of what was reported, report by report.
    private(set) var sighted: [String] = []

    @LoopActor
    private final class Clock {
        var now = ContinuousClock.now
    }

    /// - Parameters:
    ///   - modalias: says which release bluetoothd is.
    ///   - knowsPatterns: whether it takes a filter with a pattern.
    init(
        modalias: String?, knowsPatterns: Bool, after preparation: @LoopActor (FakeAdapter) -> Void
    ) async throws {
        daemon = try await .start()
        daemon.adapter.knowsPatterns = knowsPatterns
        daemon.adapter.set("Modalias", modalias.map { .string($0) }, silently: true)
        preparation(daemon.adapter)
        session = BlueZSession { [bus = daemon.bus] () throws(BusError) in try bus.connect() }
        try await session.waitUntilAvailable()
        let clock = Clock()
        self.clock = clock
        discovery = Discovery(try #require(session.adapters.first)) { clock.now }
        scan = discovery.start(DiscoveryFilter(serviceUUIDs: [Self.wanted])) { [weak self] in
            self?.sighted.append($0.address)
        }
        try await daemon.call("StartDiscovery")
        try await fence()
    }

    /// Ends the scan, and returns when bluetoothd has ended it.
    func end() async {
        scan = nil
        await discovery.waitUntilStopped()
    }

    /// Waits until the scan was restarted, and what that brings is reported.
    func restart(times: Int) async throws {
        try await daemon.call("StartDiscovery", count: daemon.count(of: "StartDiscovery") + times)
        for _ in 0..<3 { try await fence() }
    }

    /// What the scan asks for.
    func filter() throws -> [String: BusValue] {
        try #require(daemon.calls.first { $0.method == "SetDiscoveryFilter" }).invocation.argument(0)
    }

    /// What was asked for last.
    func lastFilter() throws -> [String: BusValue] {
        try #require(daemon.calls.last { $0.method == "SetDiscoveryFilter" }).invocation.argument(0)
    }

    /// How many devices bluetoothd was made to forget.
    var removals: Int { daemon.count(of: "RemoveDevice") }

    /// A device that the scan sees once.
    ///
    /// - Parameter services: what bluetoothd reports if that is not what is advertised.
    @discardableResult
    func add(
        _ address: String = "C0:00:00:00:00:01", advertising: [String], isDiscoverable: Bool = true,
        reporting services: [String]? = nil, setting property: String? = nil
    ) async throws -> FakeDevice {
        let device = FakeDevice(address, name: "Sensor", advertising: advertising, on: daemon.adapter)
        device.isDiscoverable = isDiscoverable
        if let services { device.set("UUIDs", services.map(Self.full).busValue) }
        if let property { device.set(property, .boolean(true)) }
        device.isAdvertising = false
        daemon.adapter.add(device)
        try await see(device, after: .zero)
        return device
    }

    /// The device advertises once when time has passed.
    func see(_ device: FakeDevice, after delay: Duration) async throws {
        clock.now += delay
        // The scan is restarted from time to time.
        while daemon.adapter.scans.isEmpty { try await fence() }
        device.isAdvertising = true
        daemon.adapter.report(device)
        device.isAdvertising = false
        // The signal, what is called because of it, and the answer.
        for _ in 0..<3 { try await fence() }
    }

    private func fence() async throws {
        try await daemon.connection.fence()
        try await session.connection?.fence()
    }

    private static func full(_ uuid: String) -> String { "0000\(uuid.lowercased())-0000-1000-8000-00805f9b34fb" }
}
