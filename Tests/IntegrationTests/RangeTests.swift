import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// What programs see of distance: strengths that change, and devices that walk away and come back.
    @Suite(.needsVirtualRadio)
    struct Range {
        private let services = [ServiceIdentifier(uuid: HeartRateService.uuid)]

        /// Ideal air: strengths are exact, and nothing is lost.
        @Test(.bluetoothLab(sensor: .default))
        func `the strength of advertisements and of a link follows a move`() async throws {
            let radio = try LabRadio.here
            // The central is at (1, 0).
            func move(to distance: Double) async throws { try await radio.move("hci0", to: (1 + distance, 0)) }
            let scanner = Scanner()
            scanner.begin()
            for (distance, strength) in [(1.0, -59), (4, -71), (16, -83), (2, -65)] {
                try await move(to: distance)
                try await scanner.strengths.first { $0 == strength }
            }
            try await scanner.connect()
            for (distance, strength) in [(4.0, -71), (16, -83), (1, -59)] {
                try await move(to: distance)
                // The kernel keeps what it has read last for a second or two.
                let deadline = ContinuousClock.now + .seconds(20)
                while try await scanner.linkStrength() != strength {
                    try #require(.now < deadline, "the strength does not become \(strength) dBm")
                }
            }
            try await scanner.disconnect()
        }

        @Test(.bluetoothLab(sensor: .default))
        func `a discovery is reported again when its strength has changed by the throttle`() async throws {
            let radio = try LabRadio.here
            let central = try await Central()
            let scanner = Scanner()
            scanner.begin()
            let reports = Sequence<Int>()
            try await onMain { [bluejay = central.bluejay, services] in
                bluejay.scan(
                    allowDuplicates: true, throttleRSSIDelta: 5, serviceIdentifiers: services,
                    discovery: { found, _ in
                        reports.add(found.rssi)
                        return .continue
                    }, stopped: { _, _ in })
            }
            try await reports.first { $0 == -59 }
            for (strength, isReported) in [(-62, false), (-64, true), (-60, false), (-59, true), (-80, true)] {
                let position = scanner.strengths.values.count
                try await radio.rssi("hci0", "hci1", strength)
                // What the throttle keeps back, another scan of this program has seen.
                try await scanner.strengths.first(after: position) { $0 == strength }
                if isReported { try await reports.first { $0 == strength } }
            }
            #expect(reports.values == [-59, -64, -59, -80])
            scanner.end()
            try await onMain { [bluejay = central.bluejay] in bluejay.stopScanning() }
        }

        @Test(.bluetoothLab(scene: .hallway, sensor: .default))
        func `a device that walks away expires, and is discovered again when it comes back`() async throws {
            let radio = try LabRadio.here
            let central = try await Central()
            let journal = Sequence<String>()
            try await onMain { [bluejay = central.bluejay, services] in
                bluejay.scan(
                    allowDuplicates: true, throttleRSSIDelta: 50, serviceIdentifiers: services,
                    discovery: { _, all in
                        journal.add("found \(all.count)")
                        return .continue
                    },
                    expired: { _, rest in
                        journal.add("expired \(rest.count)")
                        return .continue
                    }, stopped: { _, _ in })
            }
            try await journal.first { $0 == "found 1" }
            try await radio.move("sensor", to: (10_000, 0))
            try await journal.first { $0 == "expired 0" }
            let position = journal.values.count
            try await radio.move("sensor", to: (0, 0))
            try await journal.first(after: position) { $0 == "found 1" }
            try await onMain { [bluejay = central.bluejay] in bluejay.stopScanning() }
        }

        @Test(.bluetoothLab(scene: .hallway, sensor: .default))
        func `a link that was never established is made again`() async throws {
            let radio = try LabRadio.here
            let central = try await Central()
            let identifier = try await central.find().peripheralIdentifier
            // Of six packets and their answers, the first of which establishes a link, hardly any arrives.
            try await radio.loss("sensor", "phone", percent: 80)
            try await onMain { [bluejay = central.bluejay] in
                bluejay.connect(identifier, timeout: .none) { _ in }
            }
            // Which links these are is chance, by the seed.
            try await radio.event("link-end", "it was never established", within: .seconds(600))
            try await radio.loss("sensor", "phone", percent: 0)
            // One that was never established is reported as connected and disconnected, as any other.
            var links = 0
            repeat {
                try await central.observer.connections.first(after: links)
                links += 1
            } while (try? await central.read(.sensorLocation, as: UInt8.self)) == nil
            try await central.disconnect()
        }
    }
}

/// A scan on CoreBluetooth itself that reports every advertisement of the sensor, and a link to the sensor.
// @unchecked: its state is touched on its queue only.
private final class Scanner: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Swift.Sendable {
    /// Of advertisements, in dBm.
    let strengths = Sequence<Int>()
    private let linkStrengths = Sequence<Int>()
    private let links = Sequence<Bool>()
    private let queue = DispatchQueue(label: "scanner")
    private var manager: CBCentralManager?
    private var found: CBPeripheral?

    func begin() {
        queue.async { [self] in
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionAdapterKey: Lab.centralAdapter])
        }
    }

    func end() {
        queue.async { self.manager?.stopScan() }
    }

    func connect() async throws {
        queue.async { [self] in
            manager?.stopScan()
            if let found { manager?.connect(found) }
        }
        try await links.first { $0 }
    }

    func disconnect() async throws {
        queue.async { [self] in
            if let found { manager?.cancelPeripheralConnection(found) }
        }
        try await links.first { !$0 }
    }

    func linkStrength() async throws -> Int {
        let position = linkStrengths.values.count
        queue.async { self.found?.readRSSI() }
        return try await linkStrengths.first(after: position)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(
            withServices: [CBUUID(string: HeartRateService.uuid)],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        if found == nil {
            found = peripheral
            peripheral.delegate = self
        }
        strengths.add(RSSI.intValue)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        links.add(true)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        links.add(false)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        if let error { Issue.record(error, "reading the strength") }
        linkStrengths.add(RSSI.intValue)
    }
}
