import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct LifecycleTests {
    @Test func `before the start everything has a safe answer`() {
        let bench = Bench(started: false)
        let bluejay: Bluejay = bench.bluejay
        #expect(!bluejay.hasStarted && !bluejay.isBluetoothAvailable && !bluejay.isBluetoothStateUpdateImminent)
        #expect(!bluejay.isConnecting && !bluejay.isConnected && !bluejay.isDisconnecting && !bluejay.isScanning)
        #expect(bluejay.shouldAutoReconnect && !bluejay.isBackgroundRestorationEnabled)
        #expect(!bluejay.broadcastErrorsToListeners)
        bluejay.cancelEverything()
        bluejay.stopScanning()
        bench.observe()
        #expect(bench.journal.lines == [])
    }

    @Test func `before the start, what needs a connection says that it is not started`() async throws {
        let bench = Bench(started: false)
        let bluejay: Bluejay = bench.bluejay
        bench.read()
        bench.write()
        bench.listen()
        bench.endListen()
        bench.disconnect()
        bluejay.run(backgroundTask: { _ in 1 }, completionOnMainThread: bench.journal.run("run"))
        #expect(
            bench.journal.lines
                == ["read", "write", "listen", "endListen", "disconnect", "run"].map { "\($0): BluejayNotStartedError" }
        )
        #expect(throws: BluejayNotStartedError.self) { try bluejay.readRSSI() }
        #expect(throws: BluejayNotStartedError.self) { try bluejay.isListening(to: measurement) }
        await #expect(throws: BluejayNotStartedError.self) { try await bluejay.readRSSI() }
        await #expect(throws: BluejayNotStartedError.self) { try await bluejay.read(from: location, as: Data.self) }
    }

    @Test func `after a stop, too, what needs a connection says that it is not started`() {
        let bench = Bench.connected()
        _ = bench.bluejay.stopAndExtractBluetoothState()
        bench.journal.clear()
        bench.read()
        #expect(bench.journal.lines == ["read: BluejayNotStartedError"])
    }

    @Test func `started, but not connected, what needs a connection says that`() {
        let bench = Bench()
        bench.read()
        #expect(bench.journal.lines == ["read: notConnected"])
    }

    @Test func `two instances have different identities`() {
        #expect(Bench(started: false).bluejay.uuid != Bench(started: false).bluejay.uuid)
    }

    @Test func `starting creates a manager of its own`() {
        let bluejay = Bluejay()
        bluejay.register(logObserver: Silence.shared)
        bluejay.start()
        #expect(bluejay.hasStarted && bluejay.isBluetoothStateUpdateImminent && !bluejay.isBluetoothAvailable)
    }

    @Test func `a second start is logged and ignored`() {
        let bench = Bench()
        bench.bluejay.start(mode: .use(manager: FakeCentral(.poweredOff), peripheral: nil))
        #expect(bench.messages.texts.count == 1)
        #expect(bench.bluejay.isBluetoothAvailable)
        #expect(bench.central.delegate === bench.bluejay)
    }

    @Test func `an adopted manager is taken over with its connected peripheral`() {
        let bench = Bench(started: false)
        bench.observe()
        bench.peripheral.state = .connected
        bench.bluejay.start(mode: .use(manager: bench.central, peripheral: bench.peripheral))
        #expect(bench.journal.lines == ["available: true", "connected to Fake"])
        #expect(bench.central.delegate === bench.bluejay)
        bench.read()
        bench.peripheral.settle()
        #expect(bench.journal.lines.last == "read: ")
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.bluejay.isConnecting)
    }

    @Test func `a peripheral that is not connected is not adopted`() {
        let bench = Bench(started: false)
        bench.bluejay.start(mode: .use(manager: bench.central, peripheral: bench.peripheral))
        #expect(!bench.bluejay.isConnected)
        #expect(bench.messages.texts.count == 1)
    }

    @Test(arguments: [CBManagerState.unknown, .resetting])
    func `a state that is not known yet is imminent`(state: CBManagerState) {
        let bench = Bench(state)
        #expect(bench.bluejay.isBluetoothStateUpdateImminent && !bench.bluejay.isBluetoothAvailable)
        bench.central.power(.poweredOff)
        #expect(!bench.bluejay.isBluetoothStateUpdateImminent)
    }

    @Test func `operations wait for Bluetooth the first time only`() {
        let bench = Bench(.unknown)
        bench.scan("early")
        bench.central.power(.poweredOff)
        #expect(bench.journal.lines == [])
        bench.central.power(.poweredOn)
        #expect(bench.central.calls == ["scan"])
        bench.central.power(.poweredOff)
        bench.scan("late")
        #expect(
            bench.journal.lines == [
                "early stopped with 0: bluetoothUnavailable", "late stopped with 0: bluetoothUnavailable",
            ])
        bench.central.power(.poweredOn)
        bench.scan("again")
        #expect(bench.central.calls == ["scan", "stopScan", "scan"])
    }

    @Test(arguments: [CBManagerState.poweredOff, .resetting, .unauthorized, .unknown, .unsupported])
    func `whenever Bluetooth is lost, everything fails and nobody reconnects`(state: CBManagerState) {
        let bench = Bench.connected()
        bench.observe()
        bench.journal.clear()
        bench.read("running")
        bench.write("queued")
        bench.central.power(state)
        #expect(
            bench.journal.lines == [
                "running: bluetoothUnavailable", "queued: bluetoothUnavailable", "available: false",
            ])
        #expect(!bench.bluejay.isConnected && !bench.bluejay.isDisconnecting)
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines.last == "available: true")
        #expect(!bench.bluejay.isConnecting)
    }

    @Test func `cancelling fails the scan first, then the queue from front to back`() {
        let bench = Bench.connected()
        bench.read("1")
        bench.listen("2")
        bench.scan("3")
        bench.write("4")
        bench.bluejay.cancelEverything(error: BluejayError.stopped, shouldDisconnect: false)
        #expect(
            bench.journal.lines == ["3 stopped with 0: stopped", "1: stopped", "2: stopped", "4: stopped"])
        #expect(bench.bluejay.isConnected && !bench.bluejay.isDisconnecting && bench.bluejay.shouldAutoReconnect)
        #expect(bench.central.calls == [])
    }

    @Test func `cancelling disconnects, as expected`() {
        let bench = Bench.connected()
        bench.observe()
        bench.journal.clear()
        bench.read()
        bench.bluejay.cancelEverything()
        #expect(bench.bluejay.isDisconnecting && !bench.bluejay.shouldAutoReconnect)
        bench.central.drop(bench.peripheral)
        #expect(
            bench.journal.lines == [
                "read: cancelled", "disconnected from Fake", "handler: no error, willReconnect false",
            ])
    }

    @Test func `what completions queue while everything is cancelled stays`() {
        let bench = Bench.connected()
        bench.bluejay.read(from: location) { [bench] (_: ReadResult<Data>) in bench.read("again") }
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        #expect(bench.journal.lines == [])
        // The first answer belongs to the cancelled read.
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["again: "])
    }

    @Test func `everything may be cancelled from any thread`() async {
        let bench = Bench.connected()
        let bluejay: Bluejay = bench.bluejay
        bench.read()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                bluejay.cancelEverything(shouldDisconnect: false)
                DispatchQueue.main.async { continuation.resume() }
            }
        }
        #expect(bench.journal.lines == ["read: cancelled"])
    }

    @Test func `state can be read from any thread`() async {
        let bench = Bench.connected()
        let bluejay: Bluejay = bench.bluejay
        let isConnected = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: bluejay.isConnected) }
        }
        #expect(isConnected)
    }

    @Test func `stopping hands everything over without disconnecting`() {
        let bench = Bench.connected()
        bench.observe()
        bench.journal.clear()
        bench.read()
        let (manager, peripheral) = bench.bluejay.stopAndExtractBluetoothState()
        #expect(manager === bench.central && peripheral === bench.peripheral)
        #expect(manager.delegate == nil && peripheral?.delegate == nil)
        #expect(bench.journal.lines == ["read: stopped"])
        #expect(bench.central.calls == [])
        #expect(!bench.bluejay.hasStarted && !bench.bluejay.isConnected)
        bench.read()
        #expect(bench.journal.lines.last == "read: BluejayNotStartedError")
    }

    @Test func `after a stop, a start takes the state back and the queue runs`() {
        let bench = Bench.connected()
        bench.observe()
        let (manager, peripheral) = bench.bluejay.stopAndExtractBluetoothState()
        bench.journal.clear()
        bench.bluejay.start(mode: .use(manager: manager, peripheral: peripheral))
        #expect(bench.journal.lines == [])
        bench.read()
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["read: "])
    }

    @Test func `stopping completes a pending disconnect`() {
        let bench = Bench.connected()
        bench.disconnect(immediate: true)
        _ = bench.bluejay.stopAndExtractBluetoothState()
        #expect(bench.journal.lines == ["disconnect: stopped"])
    }

    @Test func `when the last reference goes, everything fails and the link is ended`() {
        let bench = Bench.connected()
        bench.read("1")
        bench.write("2")
        bench.listen("3")
        bench.release()
        #expect(bench.journal.lines == ["1: cancelled", "2: cancelled", "3: cancelled"])
        #expect(bench.central.calls == ["cancelConnection"])
        bench.central.drop(bench.peripheral)
        #expect(bench.central.delegate == nil)
    }

    @Test func `when the last reference goes, a pending attempt is given up`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier, completion: bench.journal.connection("connect"))
        bench.release()
        #expect(bench.journal.lines == ["connect: cancelled"])
        #expect(bench.central.calls == ["connect", "cancelConnection"])
        bench.central.drop(bench.peripheral)
    }

    @Test func `the last reference may go on any thread`() async {
        let bench = Bench.connected()
        bench.read()
        let last = LastReference(bench.bluejay)
        bench.release()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                last.release()
                DispatchQueue.main.async { continuation.resume() }
            }
        }
        #expect(bench.journal.lines == ["read: cancelled"])
        bench.central.drop(bench.peripheral)
    }

    @Test func `an unstarted instance goes without a trace`() {
        let bench = Bench(started: false)
        bench.release()
        #expect(bench.central.calls == [] && bench.messages.texts.isEmpty)
    }

    @Test func `nothing keeps an instance alive`() {
        let bench = Bench.connected()
        weak let bluejay = bench.bluejay
        bench.read()
        bench.scan()
        bench.listen()
        bench.peripheral.settle()
        bench.release()
        #expect(bluejay == nil)
        bench.central.drop(bench.peripheral)
    }
}

/// A log observer for tests in which messages are of no interest.
final class Silence: LogObserver, Swift.Sendable {
    static let shared = Silence()
    func debug(_ text: String) {}
}

/// Holds a reference until it is released.
private final class LastReference: @unchecked Swift.Sendable {
    // Written by one thread after the test has let go of it.
    private var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
    func release() { object = nil }
}
