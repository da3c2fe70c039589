import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct ConnectTests {
    let bench = Bench()

    private func connect(_ name: String = "connect", timeout: Timeout = .none) {
        bench.bluejay.connect(bench.identifier, timeout: timeout, completion: bench.journal.connection(name))
    }

    @Test func `the completion comes first, then what is queued, then the observers`() {
        bench.observe()
        bench.journal.clear()
        bench.bluejay.connect(bench.identifier) { [bench] result in
            bench.journal.connection("connect")(result)
            #expect(bench.bluejay.isConnected)
            #expect(!bench.bluejay.isConnecting)
            bench.read()
            #expect(bench.peripheral.calls == [])
        }
        #expect(bench.bluejay.isConnecting)
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == ["connect: Fake", "connected to Fake"])
        #expect(bench.peripheral.calls == ["discoverServices 180D"])
    }

    @Test func `a connection that waits in the queue is not connecting`() {
        bench.scan()
        bench.bluejay.queue.hold {
            connect()
            #expect(!bench.bluejay.isConnecting)
        }
        #expect(bench.bluejay.isConnecting)
    }

    @Test func `a timeout cancels the attempt and is reported when that is confirmed`() {
        connect(timeout: .seconds(0.5))
        bench.time.advance(by: 0.49)
        #expect(bench.central.calls == ["connect"])
        bench.time.advance(by: 0.01)
        #expect(bench.central.calls == ["connect", "cancelConnection"])
        #expect(bench.journal.lines == [])
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["connect: connectionTimedOut"])
        #expect(!bench.bluejay.isConnecting)
    }

    @Test func `a timeout is not an unexpected disconnect: nobody connects again`() {
        bench.observe()
        bench.journal.clear()
        connect(timeout: .seconds(1))
        bench.time.advance(by: 1)
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines == [
                "disconnected from Fake", "handler: no error, willReconnect false", "connect: connectionTimedOut",
            ])
        #expect(bench.central.calls == ["connect", "cancelConnection"])
        #expect(!bench.bluejay.shouldAutoReconnect)
    }

    @Test func `what waits behind an attempt fails with its timeout, what comes later does not`() {
        connect(timeout: .seconds(1))
        bench.scan("behind")
        bench.disconnect()
        bench.time.advance(by: 1)
        #expect(bench.journal.lines == [])
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines == [
                "behind stopped with 0: connectionTimedOut", "disconnect: connectionTimedOut",
                "connect: connectionTimedOut",
            ])
        bench.scan("later")
        #expect(bench.bluejay.isScanning)
    }

    @Test func `a connection that comes up while it is being given up is ignored`() {
        bench.observe()
        bench.journal.clear()
        connect(timeout: .seconds(1))
        bench.time.advance(by: 1)
        bench.central.accept(bench.peripheral)
        #expect(!bench.bluejay.isConnected)
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines.filter { $0.hasPrefix("connect") } == ["connect: connectionTimedOut"])
    }

    @Test func `a timeout has no effect after the connection`() {
        connect(timeout: .seconds(1))
        bench.central.accept(bench.peripheral)
        #expect(bench.time.pendingCount == 0)
        bench.time.advance(by: 2)
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a failed attempt is reported once, and repeated`() {
        connect()
        bench.central.refuse(bench.peripheral)
        #expect(bench.journal.lines == ["connect: unexpectedDisconnect"])
        #expect(bench.central.calls == ["connect", "connect"])
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == ["connect: unexpectedDisconnect"])
        #expect(bench.bluejay.isConnected)
    }

    @Test func `connecting while connecting or connected is refused and disturbs nothing`() {
        connect("first")
        connect("second")
        #expect(bench.journal.lines == ["second: multipleConnectNotSupported"])
        bench.central.accept(bench.peripheral)
        connect("third")
        #expect(
            bench.journal.lines == [
                "second: multipleConnectNotSupported", "first: Fake", "third: multipleConnectNotSupported",
            ])
        #expect(bench.central.calls == ["connect"])
    }

    @Test func `a refused second connect does not take the first one's completion`() {
        connect("first")
        connect("second")
        bench.bluejay.cancelEverything()
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["second: multipleConnectNotSupported", "first: cancelled"])
    }

    @Test func `an unknown peripheral is refused at once`() {
        let stranger = PeripheralIdentifier(uuid: UUID(), name: nil)
        bench.bluejay.connect(stranger, completion: bench.journal.connection("connect"))
        #expect(bench.journal.lines == ["connect: unexpectedPeripheral"])
    }

    @Test func `connecting needs Bluetooth`() {
        let unstarted = Bench(started: false)
        unstarted.bluejay.connect(bench.identifier, completion: unstarted.journal.connection("connect"))
        #expect(unstarted.journal.lines == ["connect: BluejayNotStartedError"])

        let early = Bench(.unknown)
        early.bluejay.connect(early.identifier, completion: early.journal.connection("connect"))
        #expect(early.journal.lines == ["connect: unexpectedPeripheral"])

        bench.central.power(.poweredOff)
        connect()
        #expect(bench.journal.lines == ["connect: bluetoothUnavailable"])
    }

    @Test func `connecting is refused while a disconnect is queued`() {
        let bench = Bench.connected()
        bench.read()
        bench.disconnect()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        #expect(bench.journal.lines == ["connect: disconnectQueued"])
    }

    @Test func `cancelling gives up the attempt; what waits behind fails after it`() {
        bench.observe()
        bench.journal.clear()
        connect()
        bench.disconnect()
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        #expect(bench.journal.lines == [])
        #expect(bench.bluejay.isDisconnecting)
        #expect(!bench.bluejay.shouldAutoReconnect)
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines == [
                "disconnect: cancelled", "disconnected from Fake", "handler: no error, willReconnect false",
                "connect: cancelled",
            ])
        #expect(!bench.bluejay.isDisconnecting)
        #expect(bench.central.calls == ["connect", "cancelConnection"])
    }

    @Test func `an attempt given up ends even if the system never confirms`() {
        connect()
        bench.bluejay.cancelEverything()
        bench.scan()
        bench.time.advance(by: Bluejay.disconnectConfirmationTimeout)
        #expect(bench.journal.lines == ["connect: cancelled"])
        #expect(bench.bluejay.isScanning && !bench.bluejay.isDisconnecting)
        #expect(bench.messages.texts.count == 1)
    }

    @Test func `Bluetooth off ends an attempt at once`() {
        bench.observe()
        bench.journal.clear()
        connect(timeout: .seconds(30))
        bench.central.power(.poweredOff)
        #expect(bench.journal.lines == ["connect: bluetoothUnavailable", "available: false"])
        #expect(!bench.bluejay.isConnecting)
        #expect(bench.time.pendingCount == 0)
    }

    @Test func `events of peripherals that are not in use are ignored`() {
        let other = FakePeripheral(name: "Other")
        connect()
        other.state = .connecting
        bench.central.accept(other)
        bench.central.drop(other)
        #expect(bench.bluejay.isConnecting)
        bench.central.accept(bench.peripheral)
        other.state = .connected
        bench.central.drop(other)
        #expect(bench.bluejay.isConnected)
    }
}
