import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncScanTests {
    let bench = Bench()

    /// Gathers what a scan reports, as short lines, until it ends.
    private func gather(
        duration: TimeInterval = 0, allowDuplicates: Bool = false, delta: Int = 5, upTo limit: Int = .max
    ) -> Task<[String], any Error> {
        Task { [bench] in
            var lines: [String] = []
            let scan = bench.bluejay.scan(
                duration: duration, allowDuplicates: allowDuplicates, throttleRSSIDelta: delta,
                serviceIdentifiers: [heartRate])
            for try await event in scan {
                switch event {
                case .discovered(let discovery):
                    lines.append("\(discovery.peripheralIdentifier.name) \(discovery.rssi)")
                case .expired(let discovery): lines.append("\(discovery.peripheralIdentifier.name) expired")
                }
                if lines.count == limit { break }
            }
            return lines
        }
    }

    private func started() async throws {
        try await until { bench.central.calls.contains("scan") }
    }

    @Test func `a scan takes the same parameters and reports the same`() async throws {
        let task = gather(duration: 30, allowDuplicates: true, delta: 10)
        try await started()
        #expect(bench.central.lastScanServices == [CBUUID(string: "180D")])
        #expect(bench.central.lastScanOptions[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
        bench.central.sight(bench.peripheral, rssi: -50)
        bench.central.sight(bench.peripheral, rssi: -55)
        bench.central.sight(bench.peripheral, rssi: -60)
        bench.time.advance(by: 15)
        bench.time.advance(by: 15)
        #expect(await task.outcome == #"["Fake -50", "Fake -60", "Fake expired"]"#)
        #expect(bench.central.calls == ["scan", "stopScan"])
    }

    @Test func `the discoveries alone`() async throws {
        let task = Task { [bench] in
            try await bench.bluejay.scan(serviceIdentifiers: nil).discoveries.first { @Sendable in $0.rssi > -60 }?.rssi
        }
        try await started()
        bench.central.sight(bench.peripheral, rssi: -80)
        bench.central.sight(FakePeripheral(name: "Near"), rssi: -40)
        #expect(try await task.value == -40)
        #expect(!bench.bluejay.isScanning)
    }

    @Test func `leaving the loop ends the scan`() async throws {
        let task = gather(upTo: 1)
        try await started()
        bench.central.sight(bench.peripheral)
        #expect(await task.outcome == #"["Fake -50"]"#)
        #expect(!bench.bluejay.isScanning)
        #expect(bench.central.calls == ["scan", "stopScan"])
    }

    @Test func `scanning again right after leaving works, from the main actor and elsewhere`() async throws {
        let bench = bench
        let bluejay: Bluejay = bench.bluejay
        bench.peripheral.answersByItself = true
        let sightings = Task {
            while !Task.isCancelled {
                bench.central.sight(bench.peripheral)
                await Task.yield()
            }
        }
        for _ in 0..<20 {
            for try await _ in bluejay.scan(serviceIdentifiers: [heartRate]) { break }
        }
        try await Task.detached {
            for _ in 0..<20 {
                for try await _ in bluejay.scan(serviceIdentifiers: [heartRate]) { break }
            }
        }.value
        sightings.cancel()
    }

    @Test func `cancelling the task ends the scan`() async throws {
        let task = gather()
        try await started()
        task.cancel()
        #expect(await task.outcome == "CancellationError")
        try await until { !bench.bluejay.isScanning }
        #expect(bench.central.calls == ["scan", "stopScan"])
    }

    @Test func `a task that is cancelled before does not scan, a queued scan is taken out`() async throws {
        let early = gather()
        early.cancel()
        #expect(await early.outcome == "CancellationError")
        bench.connect()
        bench.occupy()
        let queued = gather()
        try await until { bench.bluejay.isScanning }
        queued.cancel()
        #expect(await queued.outcome == "CancellationError")
        try await until { !bench.bluejay.isScanning }
        #expect(!bench.central.calls.contains("scan"))
    }

    @Test func `an intended end delivers what was found before`() async throws {
        for end in ["stopScanning", "connect"] {
            bench.central.calls = []
            let gate = Task { @MainActor in try await until { bench.bluejay.isConnected || !bench.bluejay.isScanning } }
            let task = Task { [bench] in
                var count = 0
                for try await _ in bench.bluejay.scan(serviceIdentifiers: [heartRate]) {
                    count += 1
                    _ = await gate.result
                }
                return count
            }
            try await started()
            for name in ["A", "B", "C"] { bench.central.sight(FakePeripheral(name: name)) }
            if end == "stopScanning" {
                bench.bluejay.stopScanning()
            } else {
                bench.bluejay.connect(bench.identifier) { _ in }
            }
            #expect(try await task.value == 3)
        }
    }

    @Test func `errors are thrown`() async throws {
        let first = gather()
        try await started()
        #expect(await gather().outcome == "multipleScanNotSupported")
        bench.bluejay.cancelEverything(error: BluejayError.writeFailed)
        #expect(await first.outcome == "writeFailed")
        let second = gather()
        try await until { bench.bluejay.isScanning }
        bench.central.power(.poweredOff)
        #expect(await second.outcome == "bluetoothUnavailable")
        let third = gather()
        #expect(await third.outcome == "bluetoothUnavailable")
        bench.central.power(.poweredOn)
        bench.central.calls = []
        let fourth = gather()
        try await started()
        _ = bench.bluejay.stopAndExtractBluetoothState()
        #expect(await fourth.outcome == "stopped")
        #expect(await gather().outcome == "BluejayNotStartedError")
    }

    @Test func `a scan does not keep the instance alive`() async throws {
        let scan = bench.bluejay.scan(serviceIdentifiers: [heartRate])
        let task = Task {
            for try await _ in scan {}
        }
        try await started()
        weak let remembered = bench.bluejay
        bench.release()
        #expect(await task.outcome == "cancelled")
        #expect(remembered == nil)
        let late = Task { for try await _ in scan {} }
        #expect(await late.outcome == "cancelled")
    }

    @Test func `each loop over a scan is a scan of its own`() async throws {
        let scan = bench.bluejay.scan(duration: 5, serviceIdentifiers: [heartRate])
        for round in 1...2 {
            let task = Task {
                var count = 0
                for try await _ in scan { count += 1 }
                return count
            }
            try await until { bench.bluejay.isScanning }
            bench.central.sight(bench.peripheral)
            bench.time.advance(by: 5)
            #expect(try await task.value == 1)
            #expect(bench.central.calls.filter { $0 == "scan" }.count == round)
        }
    }
}
