import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct ScanTests {
    let bench = Bench()

    private func discoveries(
        allowDuplicates: Bool = true, delta: Int = 5,
        action: @escaping (ScanDiscovery) -> ScanAction = { _ in .continue },
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil
    ) {
        bench.bluejay.scan(
            allowDuplicates: allowDuplicates, throttleRSSIDelta: delta, serviceIdentifiers: [heartRate],
            discovery: { [journal = bench.journal] found, all in
                journal.add("\(found.rssi) in \(all.map(\.rssi))")
                return action(found)
            },
            expired: expired, stopped: bench.journal.scan("scan"))
    }

    @Test func `the central is asked for the services, with or without duplicates`() {
        discoveries(allowDuplicates: true)
        #expect(bench.central.calls == ["scan"])
        #expect(bench.central.lastScanServices == [CBUUID(string: "180D")])
        #expect(bench.central.lastScanOptions[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
        #expect(bench.messages.texts.isEmpty)
    }

    @Test(arguments: [nil, []] as [[ServiceIdentifier]?])
    func `a scan for everything is warned about`(services: [ServiceIdentifier]?) {
        bench.bluejay.scan(serviceIdentifiers: services, discovery: { _, _ in .continue }, stopped: { _, _ in })
        #expect(bench.messages.texts.count == 1)
        #expect(bench.central.lastScanOptions[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == false)
    }

    @Test func `a discovery carries name, advertisement and signal strength, and is called once`() {
        var seen: [ScanDiscovery] = []
        bench.bluejay.scan(
            serviceIdentifiers: nil,
            discovery: { found, all in
                seen.append(found)
                #expect(all.map(\.peripheralIdentifier) == seen.map(\.peripheralIdentifier))
                return .continue
            }, stopped: { _, _ in })
        bench.central.sight(bench.peripheral, rssi: -61, [CBAdvertisementDataLocalNameKey: "Local"])
        bench.central.sight(FakePeripheral(name: nil), rssi: 127)
        #expect(seen.map(\.peripheralIdentifier.name) == ["Fake", "No Name"])
        #expect(seen.map(\.rssi) == [-61, 127])
        #expect(seen[0].advertisementPacket[CBAdvertisementDataLocalNameKey] as? String == "Local")
    }

    @Test func `a scan ends after its duration, counted from its start`() {
        let bench = Bench(.unknown)
        bench.scan(duration: 10)
        bench.time.advance(by: 20)
        #expect(bench.bluejay.isScanning)
        bench.central.power(.poweredOn)
        bench.time.advance(by: 9.9)
        #expect(bench.journal.lines == [])
        bench.time.advance(by: 0.1)
        #expect(bench.journal.lines == ["scan stopped with 0: intended"])
        #expect(bench.central.calls == ["scan", "stopScan"])
        #expect(!bench.bluejay.isScanning)
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `repeats are reported when the signal has changed enough since the last accepted one`() {
        discoveries()
        let other = FakePeripheral(name: "Other")
        for rssi in [-50, -54, -55, -51, -50] { bench.central.sight(bench.peripheral, rssi: rssi) }
        bench.central.sight(other, rssi: -80)
        bench.central.sight(bench.peripheral, rssi: -40)
        #expect(
            bench.journal.lines == [
                "-50 in [-50]", "-55 in [-55]", "-50 in [-50]", "-80 in [-50, -80]", "-40 in [-40, -80]",
            ])
    }

    @Test func `a delta of zero reports everything`() {
        discoveries(delta: 0)
        for _ in 0..<3 { bench.central.sight(bench.peripheral) }
        #expect(bench.journal.lines.count == 3)
    }

    @Test func `a blacklisted peripheral is silent for the rest of this scan only`() {
        discoveries(delta: 0) { _ in .blacklist }
        bench.central.sight(bench.peripheral)
        bench.central.sight(bench.peripheral)
        bench.bluejay.stopScanning()
        discoveries(delta: 0)
        bench.central.sight(bench.peripheral)
        #expect(bench.journal.lines == ["-50 in [-50]", "scan stopped with 0: intended", "-50 in [-50]"])
    }

    @Test func `stop from a discovery ends the scan`() {
        discoveries { _ in .stop }
        bench.central.sight(bench.peripheral)
        #expect(bench.journal.lines == ["-50 in [-50]", "scan stopped with 1: intended"])
        #expect(bench.central.calls == ["scan", "stopScan"])
    }

    @Test func `connect from a discovery ends the scan, then connects`() {
        discoveries { [journal = bench.journal] found in
            .connect(found, .none, .default, journal.connection("connect"))
        }
        bench.central.sight(bench.peripheral)
        #expect(bench.journal.lines == ["-50 in [-50]", "scan stopped with 1: intended"])
        #expect(bench.central.calls == ["scan", "stopScan", "connect"])
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines.last == "connect: Fake")
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a connection from a discovery reports its timeout`() {
        discoveries { [journal = bench.journal] found in
            .connect(found, .seconds(2.5), .default, journal.connection("connect"))
        }
        bench.central.sight(bench.peripheral)
        bench.time.advance(by: 2.5)
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines.last == "connect: connectionTimedOut")
    }

    @Test func `a connection from a discovery reports its cancellation`() {
        discoveries { [journal = bench.journal] found in
            .connect(found, .none, .default, journal.connection("connect"))
        }
        bench.central.sight(bench.peripheral)
        bench.bluejay.cancelEverything()
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines.last == "connect: cancelled")
    }

    @Test func `a connection from a discovery of an unknown peripheral is refused`() {
        discoveries { [journal = bench.journal] found in
            .connect(found, .none, .default, journal.connection("connect"))
        }
        bench.central.sight(FakePeripheral(name: "Stranger"))
        #expect(bench.journal.lines.suffix(2) == ["scan stopped with 1: intended", "connect: unexpectedPeripheral"])
    }

    @Test func `a peripheral that is not seen for 15 seconds expires`() {
        discoveries(
            delta: 100,
            expired: { [journal = bench.journal] lost, rest in
                journal.add("lost \(lost.rssi), left \(rest.map(\.rssi))")
                return .continue
            })
        bench.central.sight(bench.peripheral, rssi: -50)
        bench.time.advance(by: 10)
        bench.central.sight(FakePeripheral(), rssi: -60)
        // Throttled, but a sighting.
        bench.central.sight(bench.peripheral, rssi: -51)
        bench.time.advance(by: 14.9)
        #expect(bench.journal.lines.count == 2)
        bench.central.sight(bench.peripheral, rssi: -52)
        bench.time.advance(by: 0.1)
        #expect(bench.journal.lines.last == "lost -60, left [-50]")
        bench.time.advance(by: 15)
        #expect(bench.journal.lines.last == "lost -50, left []")
        bench.central.sight(bench.peripheral, rssi: -53)
        #expect(bench.journal.lines.last == "-53 in [-53]")
    }

    @Test func `peripherals expire without a closure, and not at all without duplicates`() {
        discoveries(allowDuplicates: true)
        bench.central.sight(bench.peripheral)
        bench.time.advance(by: 15)
        bench.bluejay.stopScanning()
        discoveries(allowDuplicates: false)
        bench.central.sight(bench.peripheral)
        bench.time.advance(by: 60)
        bench.bluejay.stopScanning()
        #expect(
            bench.journal.lines == [
                "-50 in [-50]", "scan stopped with 0: intended", "-50 in [-50]", "scan stopped with 1: intended",
            ])
    }

    @Test func `stop from expired ends the scan, other answers have no effect`() {
        discoveries(expired: { lost, _ in lost.rssi == -50 ? .blacklist : .stop })
        bench.central.sight(bench.peripheral, rssi: -50)
        bench.time.advance(by: 15)
        bench.central.sight(bench.peripheral, rssi: -60)
        #expect(bench.journal.lines.last == "-60 in [-60]")
        bench.time.advance(by: 15)
        #expect(bench.journal.lines.last == "scan stopped with 0: intended")
        #expect(!bench.bluejay.isScanning)
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `a connection to a peripheral that has expired is refused with an error`() {
        discoveries(expired: { [journal = bench.journal] lost, _ in
            .connect(lost, .none, .default, journal.connection("connect"))
        })
        bench.central.sight(bench.peripheral)
        bench.time.advance(by: 15)
        #expect(bench.journal.lines == ["-50 in [-50]", "connect: unexpectedPeripheral"])
        #expect(bench.bluejay.isScanning && bench.central.calls == ["scan"])
    }

    @Test func `a second scan is refused and does not disturb the first`() {
        bench.scan("first")
        bench.scan("second")
        #expect(bench.journal.lines == ["second stopped with 0: multipleScanNotSupported"])
        #expect(bench.central.calls == ["scan"])
        bench.central.sight(bench.peripheral)
        #expect(bench.journal.lines.last == "first found Fake of 1")
    }

    @Test func `scanning again in stopped works`() {
        bench.bluejay.scan(
            serviceIdentifiers: [heartRate], discovery: { _, _ in .continue },
            stopped: { [bench] _, _ in bench.scan("again") })
        bench.bluejay.stopScanning()
        #expect(bench.bluejay.isScanning)
        #expect(bench.central.calls == ["scan", "stopScan", "scan"])
        bench.central.sight(bench.peripheral)
        #expect(bench.journal.lines == ["again found Fake of 1"])
    }

    @Test func `a queued scan can be stopped and is never started`() {
        let bench = Bench(.unknown)
        bench.scan()
        bench.bluejay.stopScanning()
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines == ["scan stopped with 0: intended"])
        #expect(bench.central.calls == [])
    }

    @Test func `stopScanning without a scan is logged`() {
        bench.bluejay.stopScanning()
        #expect(bench.messages.texts.count == 1)
    }

    @Test func `a scan before the start is refused`() {
        let bench = Bench(started: false)
        bench.scan()
        #expect(bench.journal.lines == ["scan stopped with 0: BluejayNotStartedError"])
        #expect(!bench.bluejay.isScanning)
    }

    @Test func `a scan is refused while a disconnect is queued`() {
        let bench = Bench.connected()
        bench.read()
        bench.disconnect()
        bench.scan()
        #expect(bench.journal.lines == ["scan stopped with 0: disconnectQueued"])
    }

    @Test func `a scan ends with an error when Bluetooth goes off, and is refused while it is off`() {
        bench.scan("first")
        bench.central.power(.poweredOff)
        bench.scan("second")
        #expect(
            bench.journal.lines == [
                "first stopped with 0: bluetoothUnavailable", "second stopped with 0: bluetoothUnavailable",
            ])
    }

    @Test func `a connection request ends the scan as intended`() {
        bench.scan()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        #expect(bench.journal.lines == ["scan stopped with 0: intended"])
        #expect(bench.central.calls == ["scan", "stopScan", "connect"])
    }

    @Test func `a refused connection request leaves the scan alone`() {
        let bench = Bench.connected()
        bench.scan()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        #expect(bench.journal.lines == ["connect: multipleConnectNotSupported"])
        #expect(bench.bluejay.isScanning)
    }

    @Test func `an unexpected disconnect ends a scan with an error`() {
        let bench = Bench.connected()
        bench.scan()
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.journal.lines == ["scan stopped with 0: notConnected"])
    }
}
