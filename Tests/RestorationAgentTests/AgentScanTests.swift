import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

/// The scans of programs that have died.
@Suite struct AgentScanTests {
    private let backend = FakeBackend()
    private let host = FakeHost()
    private let core: AgentCore

    init() {
        core = AgentCore(
            record: RestorationRecord(), backend: backend, host: host, queue: DispatchQueue(label: "test"))
    }

    private func register(process: Int32 = 7) -> FakePeer { core.register(process: process, on: host) }

    private func kill(_ peer: FakePeer) { core.kill(peer, on: host) }

    private func scanner(for services: [String]?) -> FakePeer {
        let peer = register()
        let scan = ScanRecord(adapter: "00:AA", services: services, allowsDuplicates: false)
        #expect(core.receive(.scanning(scan), from: peer))
        return peer
    }

    @Test func `a scan goes on when its program has died, and starts it`() {
        let app = scanner(for: ["180d"])
        #expect(backend.takeCalls() == [], "the program scans itself")
        kill(app)
        #expect(backend.takeCalls() == [#"scan ["180d"]"#])
        backend.observer?.discovered(["180f"], on: "00:AA")
        backend.observer?.discovered(["180d"], on: "00:BB")
        #expect(host.launched.isEmpty)
        backend.observer?.discovered(["180a", "180d"], on: "00:AA")
        #expect(host.launched.count == 1)
        #expect(backend.takeCalls() == ["scan []"])
        let next = register(process: 1000)
        #expect(next.welcome?.scan == ScanRecord(adapter: "00:AA", services: ["180d"], allowsDuplicates: false))
    }

    @Test func `a scan for all devices starts no program, and is restored`() {
        kill(scanner(for: nil))
        #expect(backend.takeCalls() == [])
        backend.observer?.discovered(["180d"], on: "00:AA")
        #expect(host.launched.isEmpty)
        let next = register()
        #expect(next.welcome?.scan == ScanRecord(adapter: "00:AA", services: nil, allowsDuplicates: false))
    }

    @Test func `a scan that has ended is not restored`() {
        let app = scanner(for: nil)
        #expect(core.receive(.scanning(nil), from: app))
        kill(app)
        #expect(core.isIdle)
    }

    @Test func `a scan for too much is refused`() {
        let app = register()
        let services = [String](repeating: "180d", count: AgentLimits.services + 1)
        let scan = ScanRecord(adapter: "00:AA", services: services, allowsDuplicates: false)
        #expect(!core.receive(.scanning(scan), from: app))
    }
}
