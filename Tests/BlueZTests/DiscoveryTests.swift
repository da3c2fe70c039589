import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZ

private let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
private let battery = "0000180f-0000-1000-8000-00805f9b34fb"
private let genericAccess = "00001800-0000-1000-8000-00805f9b34fb"

/// A bluetoothd of the tests that scans: it notes how, and the test says what it sees.
@BusActor
private final class ScanningDaemon {
    let connection: BusConnection
    private(set) var filters: [[String: BusValue]] = []
    private(set) var startCount = 0
    private(set) var removed: [String] = []
    private static let adapter = path("/org/bluez/hci0")

    /// - Parameter modalias: says which release it is.
    init(_ bus: PrivateBus, modalias: String?) async throws {
        connection = try bus.connect()
        connection.exportObjectManager(at: .root)
        let methods = [
            ExportedMethod("SetDiscoveryFilter", inputs: [ExportedArgument("filter", [String: BusValue].self)]) {
                [weak self] call in
                self?.filters.append([String: BusValue](busValue: call.arguments[0]) ?? [:])
                call.reply()
            },
            ExportedMethod("StartDiscovery") { [weak self] call in
                self?.startCount += 1
                call.reply()
            },
            ExportedMethod("StopDiscovery") { $0.reply() },
            ExportedMethod("RemoveDevice", inputs: [ExportedArgument("device", ObjectPath.self)]) { [weak self] call in
                guard let device = ObjectPath(busValue: call.arguments[0]) else { return call.reply() }
                self?.removed.append(device.lastElement)
                self?.connection.unexport(device)
                call.reply()
            },
        ]
        let properties = [
            ExportedProperty("Address", get: { "00:AA:01:01:00:01" }), ExportedProperty("Modalias", get: { modalias }),
        ]
        try connection.export(
            [ExportedInterface(Adapter.interface, methods: methods, properties: properties)], at: Self.adapter)
        try await connection.requestName(BlueZSession.serviceName)
    }

    /// Adds a device as one that was seen.
    func add(_ name: String, services: [String], setting switches: String...) throws {
        let properties =
            [
                ExportedProperty("Address", get: { "00:AA:01:00:00:00" }), ExportedProperty("UUIDs", get: { services }),
                ExportedProperty("RSSI", get: { Int16(-60) }),
            ] + switches.map { ExportedProperty($0, get: { true }) }
        try connection.export(
            [ExportedInterface(Device.interface, properties: properties)], at: Self.adapter.appending(name))
    }

    func see(_ name: String) throws {
        try connection.emitPropertiesChanged(
            ["RSSI": .int16(-61)], of: Device.interface, at: Self.adapter.appending(name))
    }
}

/// What bluetoothd is asked to look for, and which of the devices that it sees are reported.
@Suite(.timeLimit(.minutes(1)))
@BusActor
struct DiscoveryTests {
    private nonisolated static let old = "usb:v1D6Bp0246d0552"
    private nonisolated static let dangerous = "usb:v1D6Bp0246d0557"

    /// A scan for the heart rate service that has begun.
    @BusActor
    private final class Bench {
        let daemon: ScanningDaemon
        private let bus: PrivateBus
        private let session: BlueZSession
        private let discovery: Discovery
        private var scan: Registration?
        private(set) var sighted: [String] = []
        private let start = ContinuousClock.now
        /// What the scan takes for the time that has passed.
        private var elapsed = Duration.zero

        init(modalias: String?) async throws {
            let bus = try await PrivateBus.start()
            self.bus = bus
            daemon = try await ScanningDaemon(bus, modalias: modalias)
            session = BlueZSession { () throws(BusError) in try bus.connect() }
            try await session.waitUntilAvailable()
            let adapter = try #require(session.adapters.first)
            weak var bench: Bench?
            discovery = Discovery(adapter) { bench.map { $0.start + $0.elapsed } ?? .now }
            bench = self
            scan = discovery.start(DiscoveryFilter(serviceUUIDs: [heartRate])) { [weak self] in
                self?.sighted.append($0.path.lastElement)
            }
            while daemon.startCount == 0 { try await fence() }
            try await fence()
        }

        func fence() async throws {
            try await daemon.connection.fence()
            try await session.connection?.fence()
        }

        /// Ends the scan, and returns when bluetoothd has ended it.
        func end() async {
            scan = nil
            await discovery.waitUntilStopped()
        }

        /// The device is seen again when time has passed.
        func see(_ name: String, after delay: Duration) async throws {
            try await fence()
            elapsed += delay
            try daemon.see(name)
            // The signal, what is called because of it, and the answer.
            for _ in 0..<3 { try await fence() }
        }
    }

    private func scanning(with modalias: String?, _ body: @BusActor (Bench) async throws -> Void) async throws {
        let bench = try await Bench(modalias: modalias)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(bench)) } catch { outcome = .failure(error) }
        await bench.end()
        try outcome.get()
    }

    @Test(arguments: [old, "usb:v1D6Bp0246d0542", "usb:v1D6Bp0246d0556"])
    func bluetoothdIsAskedForTheServicesWhereItSurvivesThat(modalias: String) async throws {
        try await scanning(with: modalias) { bench in
            #expect(bench.daemon.filters.first?["UUIDs"].flatMap([String].init(busValue:)) == [heartRate])
        }
    }

    @Test(arguments: [dangerous, "usb:v1D6Bp0246d0558", "bluetooth:v05F1p1234d0552", nil])
    func bluetoothdIsNotAskedForServicesWhereThatMayEndIt(modalias: String?) async throws {
        try await scanning(with: modalias) { bench in
            let filter = try #require(bench.daemon.filters.first)
            #expect(filter["UUIDs"] == nil && filter["Transport"] == .string("le"))
        }
    }

    @Test(arguments: [old, dangerous])
    func onlyDevicesThatAdvertiseTheServiceAreReported(modalias: String) async throws {
        try await scanning(with: modalias) { bench in
            try bench.daemon.add("dev_1", services: [battery, heartRate])
            try bench.daemon.add("dev_2", services: [battery])
            try bench.daemon.add("dev_3", services: [])
            try await bench.see("dev_2", after: .seconds(10))
            #expect(bench.sighted == ["dev_1"] && bench.daemon.removed.isEmpty)
        }
    }

    @Test func whatBluetoothdLetsThroughAdvertisesTheServiceWhateverItReports() async throws {
        try await scanning(with: Self.old) { bench in
            try bench.daemon.add("dev_1", services: [genericAccess, battery])
            try await bench.see("dev_1", after: .seconds(10))
            #expect(bench.sighted == ["dev_1", "dev_1"] && bench.daemon.removed.isEmpty)
        }
    }

    @Test func aDeviceThatWasConnectedIsReportedForAServiceThatItHas() async throws {
        try await scanning(with: Self.dangerous) { bench in
            try bench.daemon.add("dev_1", services: [genericAccess, heartRate])
            try await bench.see("dev_1", after: .seconds(10))
            #expect(bench.sighted == ["dev_1", "dev_1"] && bench.daemon.removed.isEmpty)
        }
    }

    @Test func aDeviceWhoseAdvertisedServicesAreNotReportedIsForgottenAndFoundAnew() async throws {
        try await scanning(with: Self.dangerous) { bench in
            try bench.daemon.add("dev_1", services: [genericAccess, battery])
            try await bench.see("dev_1", after: .milliseconds(1900))
            #expect(bench.daemon.removed.isEmpty, "somebody may be connecting to it")
            try await bench.see("dev_1", after: .milliseconds(100))
            #expect(bench.daemon.removed == ["dev_1"] && bench.sighted.isEmpty)
            try bench.daemon.add("dev_1", services: [heartRate])
            try await bench.fence()
            #expect(bench.sighted == ["dev_1"])
        }
    }

    @Test func aDeviceThatAdvertisesWhatOthersOnlyHaveIsForgottenOnce() async throws {
        try await scanning(with: Self.dangerous) { bench in
            for _ in 0..<2 {
                try bench.daemon.add("dev_1", services: [genericAccess])
                try await bench.see("dev_1", after: .seconds(2))
            }
            try await bench.see("dev_1", after: .seconds(2))
            #expect(bench.daemon.removed == ["dev_1"])
        }
    }

    @Test(arguments: ["Connected", "Paired", "Trusted", "Blocked"])
    func aDeviceThatSomebodyWouldMissIsNotForgotten(because property: String) async throws {
        try await scanning(with: Self.dangerous) { bench in
            try bench.daemon.add("dev_1", services: [genericAccess, battery], setting: property)
            for _ in 0..<3 { try await bench.see("dev_1", after: .seconds(2)) }
            #expect(bench.daemon.removed.isEmpty && bench.sighted.isEmpty)
        }
    }
}
