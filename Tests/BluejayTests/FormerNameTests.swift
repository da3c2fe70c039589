import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

private protocol Former {
    @MainActor func start(_ bench: Bench)
    @MainActor func observe(_ bench: Bench)
    @MainActor func listen(_ bench: Bench)
    @MainActor func scan(_ bench: Bench)
    func flush(_ peripheral: SynchronizedPeripheral) throws
    func names(_ peripheral: PeripheralIdentifier) -> [String]
}

/// Uses what is deprecated. Called through the protocol, so that using it here is not warned about.
private struct FormerNames: Former {
    @available(*, deprecated) func start(_ bench: Bench) {
        _ = StartOptions.bluejayDefault
        bench.bluejay.start(
            mode: .use(manager: bench.central, peripheral: nil), connectionObserver: bench.journal,
            disconnectHandler: bench.journal)
    }

    @available(*, deprecated) func observe(_ bench: Bench) {
        bench.bluejay.unregister(observer: bench.journal)
        bench.bluejay.register(observer: bench.journal)
    }

    @available(*, deprecated) func listen(_ bench: Bench) {
        bench.bluejay.clearListenCaches()
        bench.bluejay.restoreListen(
            to: measurement, completion: bench.journal.read("listen") as (ReadResult<UInt8>) -> Void)
    }

    @available(*, deprecated) func scan(_ bench: Bench) {
        bench.bluejay.scan(
            serviceIdentifiers: [heartRate],
            discovery: { [journal = bench.journal] found, _ in .connect(found, journal.connection("connect")) },
            stopped: bench.journal.scan("scan"))
    }

    @available(*, deprecated) func flush(_ peripheral: SynchronizedPeripheral) throws {
        try peripheral.flushListen(to: measurement, idleWindow: 2) {}
    }

    @available(*, deprecated) func names(_ peripheral: PeripheralIdentifier) -> [String] {
        [PeripheralIdentifier(uuid: peripheral.uuid).string, PeripheralIdentifier(uuid: peripheral.uuid).name]
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct FormerNameTests {
    private let former: any Former = FormerNames()

    @Test func `a start with an observer and a handler registers both`() {
        let bench = Bench(started: false)
        former.start(bench)
        #expect(bench.journal.lines == ["available: true"])
        former.scan(bench)
        bench.central.sight(bench.peripheral)
        bench.central.accept(bench.peripheral)
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines.dropFirst() == [
                "scan stopped with 1: intended", "connect: Fake", "connected to Fake", "disconnected from Fake",
                "handler: no error, willReconnect true",
            ])
        former.observe(bench)
        #expect(bench.journal.lines.last == "available: true")
    }

    @Test func `a listen is restored by listening`() async {
        let bench = Bench.lively()
        former.listen(bench)
        while !bench.peripheral.isNotifying("2A37") { await Task.yield() }
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["listen: 1"])
        bench.endListen()
        while bench.bluejay.queue.count > 0 { await Task.yield() }
        bench.peripheral.onSubscribe = { [time = bench.time] _ in time.advance(by: 2) }
        await bench.run { [former] in try former.flush($0) }
        #expect(bench.journal.lines.last == "run: ()")
    }

    @Test func `a peripheral is named by its UUID`() {
        let identifier = PeripheralIdentifier(uuid: UUID(), name: "Coffee")
        #expect(former.names(identifier) == [identifier.uuid.uuidString, "No Name"])
    }
}
