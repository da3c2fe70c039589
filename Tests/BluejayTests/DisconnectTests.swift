import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct DisconnectTests {
    let bench = Bench.connected()

    @Test func `a queued disconnect waits for the work before it`() {
        bench.read()
        bench.write()
        bench.disconnect()
        #expect(bench.bluejay.isConnected && !bench.bluejay.isDisconnecting)
        #expect(!bench.bluejay.shouldAutoReconnect)
        bench.peripheral.answer()
        bench.peripheral.answer()
        #expect(bench.journal.lines == ["read: ", "write: success"])
        #expect(bench.bluejay.isDisconnecting)
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines.last == "disconnect: Fake")
        #expect(!bench.bluejay.isConnected && !bench.bluejay.isDisconnecting)
    }

    @Test func `work queued before a disconnect is done, even if it has to discover first`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(bench.peripheral)
        bench.read()
        bench.disconnect()
        bench.peripheral.settle()
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["read: ", "disconnect: Fake"])
    }

    @Test func `nothing can be queued behind a queued disconnect`() {
        bench.read("before")
        bench.disconnect()
        bench.read()
        bench.write()
        bench.listen()
        bench.endListen()
        bench.disconnect("again")
        bench.bluejay.run(backgroundTask: { _ in }, completionOnMainThread: bench.journal.run("run"))
        #expect(
            bench.journal.lines == [
                "read: disconnectQueued", "write: disconnectQueued", "listen: disconnectQueued",
                "endListen: disconnectQueued", "again: multipleDisconnectNotSupported", "run: disconnectQueued",
            ])
    }

    @Test func `order at an expected disconnect`() {
        bench.observe()
        bench.journal.clear()
        bench.disconnect()
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines == [
                "disconnected from Fake", "handler: no error, willReconnect false", "disconnect: Fake",
            ])
        #expect(bench.central.calls == ["cancelConnection"])
    }

    @Test func `an immediate disconnect fails everything`() {
        bench.observe()
        bench.journal.clear()
        bench.read()
        bench.scan()
        bench.disconnect("queued")
        bench.disconnect("immediate", immediate: true)
        #expect(
            bench.journal.lines == [
                "scan stopped with 0: explicitDisconnect", "read: explicitDisconnect", "queued: explicitDisconnect",
            ])
        #expect(bench.bluejay.isDisconnecting && bench.bluejay.isConnected)
        bench.disconnect("another", immediate: true)
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines.dropFirst(3) == [
                "another: multipleDisconnectNotSupported", "disconnected from Fake",
                "handler: no error, willReconnect false", "immediate: Fake",
            ])
        #expect(!bench.bluejay.isDisconnecting && !bench.bluejay.shouldAutoReconnect)
    }

    @Test func `an immediate disconnect gives up an attempt`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        bench.disconnect(immediate: true)
        #expect(bench.journal.lines == [])
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["disconnect: Fake", "connect: explicitDisconnect"])
        #expect(bench.central.calls == ["connect", "cancelConnection"])
    }

    @Test func `a disconnect behind an attempt fails with it`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        bench.disconnect()
        bench.central.refuse(bench.peripheral)
        #expect(bench.journal.lines == ["disconnect: unexpectedDisconnect", "connect: unexpectedDisconnect"])
    }

    @Test func `a disconnect behind an attempt follows it`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        bench.disconnect()
        bench.central.accept(bench.peripheral)
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["connect: Fake", "disconnect: Fake"])
        #expect(bench.central.calls == ["connect", "cancelConnection"])
    }

    @Test func `there must be something to disconnect`() {
        let bench = Bench()
        bench.disconnect()
        bench.disconnect(immediate: true)
        #expect(bench.journal.lines == ["disconnect: notConnected", "disconnect: notConnected"])
        let unstarted = Bench(started: false)
        unstarted.disconnect()
        #expect(unstarted.journal.lines == ["disconnect: BluejayNotStartedError"])
    }

    @Test func `a disconnect ends even if the system never confirms`() {
        bench.disconnect()
        bench.time.advance(by: Bluejay.disconnectConfirmationTimeout)
        #expect(bench.journal.lines == ["disconnect: Fake"])
        #expect(!bench.bluejay.isConnected)
        // A late confirmation.
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["disconnect: Fake"])
    }

    @Test(arguments: [false, true])
    func `a pending disconnect fails when Bluetooth is switched off`(immediate: Bool) {
        bench.disconnect(immediate: immediate)
        bench.central.power(.poweredOff)
        #expect(bench.journal.lines == ["disconnect: bluetoothUnavailable"])
        #expect(!bench.bluejay.isDisconnecting && !bench.bluejay.isConnected)
    }

    @Test func `calls in the completion of a disconnect work`() {
        bench.bluejay.disconnect { [bench] _ in
            bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        }
        bench.central.drop(bench.peripheral)
        #expect(bench.bluejay.isConnecting)
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == ["connect: Fake"])
        bench.bluejay.disconnect { [bench] _ in bench.scan() }
        bench.central.drop(bench.peripheral)
        #expect(bench.bluejay.isScanning)
    }

    @Test func `what is queued after an immediate disconnect`() {
        bench.disconnect(immediate: true)
        bench.read()
        bench.scan()
        #expect(bench.journal.lines == ["read: explicitDisconnect"])
        bench.central.drop(bench.peripheral)
        #expect(bench.bluejay.isScanning)
        #expect(bench.journal.lines.last == "disconnect: Fake")
    }

    @Test func `an unexpected disconnect fails what is queued, reaches everybody, and connects again`() {
        bench.observe()
        bench.journal.clear()
        bench.read("first")
        bench.read("second")
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(
            bench.journal.lines == [
                "first: notConnected", "second: notConnected", "disconnected from Fake",
                "handler: CBError 6, willReconnect true",
            ])
        #expect(bench.bluejay.isConnecting && bench.bluejay.shouldAutoReconnect)
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines.last == "connected to Fake")
    }

    @Test func `a failed connection is repeated until it succeeds`() {
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        for _ in 0..<3 { bench.central.refuse(bench.peripheral) }
        #expect(bench.central.calls == ["connect", "connect", "connect", "connect"])
        bench.central.accept(bench.peripheral)
        #expect(bench.bluejay.isConnected)
    }

    @Test func `connecting again uses the last timeout, even of a refused call`() {
        bench.bluejay.connect(bench.identifier, timeout: .seconds(7)) { _ in }
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        bench.time.advance(by: 7)
        #expect(bench.central.calls == ["connect", "cancelConnection"])
        bench.central.drop(bench.peripheral)
        #expect(!bench.bluejay.isConnecting && !bench.bluejay.shouldAutoReconnect)
    }

    @Test func `the handler decides about connecting again`() {
        bench.observe()
        bench.journal.answer = .change(shouldAutoReconnect: false)
        bench.central.drop(bench.peripheral, CBError(.peripheralDisconnected))
        #expect(!bench.bluejay.isConnecting && !bench.bluejay.shouldAutoReconnect)

        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(bench.peripheral)
        #expect(bench.bluejay.shouldAutoReconnect)
        bench.journal.answer = .change(shouldAutoReconnect: true)
        bench.disconnect()
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines.last == "disconnect: Fake")
        #expect(bench.bluejay.isConnecting && bench.bluejay.shouldAutoReconnect)
    }

    @Test func `an unregistered or dead handler is not asked`() {
        bench.observe()
        bench.bluejay.unregisterDisconnectHandler()
        bench.journal.clear()
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.journal.lines == ["disconnected from Fake"])
        bench.central.accept(bench.peripheral)
        bench.bluejay.registerDisconnectHandler(handler: Journal())
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.bluejay.isConnecting)
    }

    @Test func `an own connection in an observer takes the place of the automatic one`() {
        final class Connector: ConnectionObserver {
            let bench: Bench
            init(_ bench: Bench) { self.bench = bench }
            func disconnected(from peripheral: PeripheralIdentifier) {
                bench.bluejay.connect(peripheral, completion: bench.journal.connection("own"))
            }
        }
        let connector = Connector(bench)
        bench.bluejay.register(connectionObserver: connector)
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == ["own: Fake"])
        #expect(bench.central.calls == ["connect"])
    }
}
