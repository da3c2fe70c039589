import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// Finding and connecting by tasks.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@MainActor
struct AsyncCentralTests {
    private let bench: AsyncBench
    private var central: AsyncCentral { bench.central }

    init() async throws { bench = try await AsyncBench() }

    @LoopActor
    private func setInRange(_ isInRange: Bool) { bench.device.isInRange = isInRange }

    // MARK: Scanning

    @Test func `a scan ends when it has what it looks for`() async throws {
        var found: [String] = []
        try await central.scan(for: [CBUUID(string: "180D")], within: 30) { advertisement in
            found.append(advertisement.peripheral.name ?? "?")
            return .stop
        }
        #expect(found == ["Sensor"])
        #expect(!central.manager.isScanning)
    }

    @Test func `a scan goes on for the time that it is given`() async throws {
        for (limit, step) in [(0.2, AsyncCentral.ScanStep.goOn), (30, .stopAfter(0.1))] {
            var count = 0
            try await central.scan(within: limit) { _ in
                count += 1
                return step
            }
            #expect(count > 0)
            #expect(!central.manager.isScanning)
        }
    }

    @Test func `the end waits until bluetoothd has ended the scan`() async throws {
        try await central.scan(within: 30) { _ in .stop }
        await central.end(within: 30)
        let daemon = bench.daemon
        #expect(await daemon.count(of: "StopDiscovery") == daemon.count(of: "StartDiscovery"))
        #expect(await daemon.calls.last?.method == "SetDiscoveryFilter")
    }

    @Test func `a scan ends with bluetoothd`() async throws {
        async let scan = failure { try await central.scan(within: 30) { _ in .goOn } }
        try await bench.daemon.call("StartDiscovery")
        await bench.daemon.die()
        #expect(await scan == "off")
    }

    // MARK: Connecting

    @Test func `an attempt that takes too long is given up`() async throws {
        await setInRange(false)
        #expect(await failure { try await central.connect(bench.identifier, within: 0.2) } == "no answer within 0.2")
        #expect(central.peripheral(bench.identifier)?.state == .disconnected)
        await setInRange(true)
        _ = try await bench.connect()
        await central.end(within: 30)
        #expect(await !bench.device.isConnected)
    }

    @Test func `a cancelled attempt is given up`() async throws {
        await setInRange(false)
        let attempt = Task { await failure { try await central.connect(bench.identifier, within: nil) } }
        try await bench.daemon.call("StartDiscovery")
        attempt.cancel()
        #expect(await attempt.value == "cancelled")
        await central.end(within: 30)
        #expect(central.peripheral(bench.identifier)?.state == .disconnected)
    }

    @Test func `lost keys are why there is no connection`() async throws {
        await loseKeys()
        #expect(await failure { try await bench.central.connect(bench.identifier, within: 30) } == "unencrypted")
    }

    @LoopActor
    private func loseKeys() {
        bench.device.set("Paired", .boolean(true))
        bench.device.hasLostKeys = true
    }

    @Test func `an identifier of another kind is unknown`() async throws {
        #expect(await failure { try await central.connect(UUID(), within: 30) } == "unknown")
    }

    @Test func `Bluetooth is waited for`() async throws {
        #expect(await central.knownState(within: 30) == .poweredOn)
        await bench.daemon.die()
        while central.manager.state == .poweredOn { await Task.yield() }
        #expect(await failure { try await central.connect(bench.identifier, within: 30) } == "off")
        async let on: Void = central.waitUntilOn()
        try await bench.daemon.restart()
        try await on
        #expect(central.manager.state == .poweredOn)
    }
}
