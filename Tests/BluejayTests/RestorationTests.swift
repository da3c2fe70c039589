import TestSupport
import Testing
import UIKitStandIns

@testable import Bluejay
@testable import CoreBluetooth

/// Records its calls, and answers as configured.
private final class Restorer: BackgroundRestorer, ListenRestorer {
    let journal: Journal
    var completion = BackgroundRestoreCompletion.continue
    var action = ListenRestoreAction.promiseRestoration
    var onValue: (() -> Void)?

    init(_ journal: Journal) { self.journal = journal }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        journal.add("restored \(peripheral.name)")
        return completion
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier, error: any Error
    ) -> BackgroundRestoreCompletion {
        journal.add("not restored \(peripheral.name): \(error.short)")
        return completion
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier, on characteristic: CharacteristicIdentifier, with value: Data?
    ) -> ListenRestoreAction {
        journal.add("unhandled \(characteristic.uuid.uuidString): \(value?.count ?? -1)")
        onValue?()
        return action
    }
}

@MainActor @Suite struct RestorationTests {
    private let bench = Bench(.unknown)
    private let restorer: Restorer

    init() {
        restorer = Restorer(bench.journal)
        bench.observe()
        // As `start(mode: .new)` does with these options, but with the fake manager.
        bench.bluejay.restoration = Restoration(config(launchedFor: ["sensor"]))
        bench.journal.clear()
    }

    private func config(launchedFor identifiers: [String]?) -> BackgroundRestoreConfig {
        BackgroundRestoreConfig(
            restoreIdentifier: "sensor", backgroundRestorer: restorer, listenRestorer: restorer,
            launchOptions: identifiers.map { [.bluetoothCentrals: $0] })
    }

    private func willRestore(_ state: CBPeripheralState?) {
        if let state { bench.peripheral.state = state }
        let peripherals = state == nil ? [] : [bench.peripheral]
        bench.central.delegate?.centralManager(
            bench.central, willRestoreState: [CBCentralManagerRestoredStatePeripheralsKey: peripherals])
    }

    @Test func `the launch options say for which managers the program was started`() {
        let centrals = LaunchEnvironment.options(centrals: ["a"])
        let started = Bluejay.launchOptions(in: [LaunchEnvironment.variable: centrals])
        #expect(started?[.bluetoothCentrals] as? [String] == ["a"] && started?.count == 1)
        let peripherals = LaunchEnvironment.options(peripherals: ["b"])
        let other = Bluejay.launchOptions(in: [LaunchEnvironment.variable: peripherals])
        #expect(other?[.bluetoothPeripherals] as? [String] == ["b"] && other?.count == 1)
        #expect(Bluejay.launchOptions(in: [:]) == nil)
    }

    @Test func `the configuration knows from the launch options whether there is something to restore`() {
        #expect(config(launchedFor: ["sensor", "x"]).isRestoringFromBackground)
        #expect(config(launchedFor: ["sensor", "x"]).centralKeys == ["sensor", "x"])
        #expect(!config(launchedFor: ["x"]).isRestoringFromBackground)
        #expect(!config(launchedFor: nil).isRestoringFromBackground)
        #expect(config(launchedFor: nil).centralKeys == nil)
        #expect(bench.bluejay.isBackgroundRestorationEnabled)
    }

    @Test func `a connected peripheral is usable, and the restorer hears of it before the observers`() {
        willRestore(.connected)
        #expect(bench.bluejay.isConnected)
        restorer.completion = .callback { [bench] in bench.read() }
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines == ["restored Fake", "connected to Fake", "available: true"])
        bench.peripheral.settle()
        #expect(bench.journal.lines.last == "read: ")
    }

    @Test func `what was queued before fails, without disconnecting`() {
        willRestore(.connected)
        bench.scan()
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines.first == "scan stopped with 0: backgroundRestorationInProgress")
        #expect(bench.bluejay.isConnected && !bench.bluejay.isDisconnecting)
    }

    @Test func `a pending attempt is renewed for 15 seconds: success`() {
        willRestore(.connecting)
        bench.central.power(.poweredOn)
        #expect(bench.central.calls == ["connect"])
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == ["available: true", "restored Fake", "connected to Fake"])
    }

    @Test func `a pending attempt is renewed for 15 seconds: failure`() {
        willRestore(.connecting)
        bench.central.power(.poweredOn)
        bench.time.advance(by: 14.9)
        #expect(bench.central.calls == ["connect"])
        bench.time.advance(by: 0.1)
        bench.central.drop(bench.peripheral)
        #expect(bench.journal.lines == ["available: true", "not restored Fake: connectionTimedOut"])
        #expect(!bench.bluejay.isConnecting && !bench.bluejay.shouldAutoReconnect)
    }

    @Test(arguments: [CBPeripheralState.disconnecting, .disconnected])
    func `a peripheral that is not connected is not restored`(state: CBPeripheralState) {
        willRestore(state)
        #expect(!bench.bluejay.isConnected)
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines == ["not restored Fake: notConnected", "available: true"])
    }

    @Test func `without a peripheral there is nothing to restore`() {
        willRestore(nil)
        bench.scan()
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines == ["available: true"])
        #expect(bench.bluejay.isScanning)
    }

    @Test func `a connection that Bluetooth takes away before it is restored is not restored`() {
        willRestore(.connected)
        bench.central.power(.poweredOff)
        #expect(!bench.bluejay.isConnected)
        bench.central.power(.poweredOn)
        #expect(
            bench.journal.lines == ["available: false", "not restored Fake: notConnected", "available: true"])
    }

    @Test func `the restorer decides about values without a listener`() {
        willRestore(.connected)
        bench.central.power(.poweredOn)
        bench.bluejay.endListen(to: measurement)
        bench.peripheral.settle()
        bench.peripheral.calls = []
        bench.journal.clear()

        restorer.onValue = { [bench] in bench.listen() }
        bench.peripheral.notify("2A37", Data([1, 2]))
        restorer.onValue = nil
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([3]))
        #expect(bench.journal.lines == ["unhandled 2A37: 2", "listen: 3"])

        bench.endListen()
        bench.peripheral.settle()
        bench.journal.clear()
        restorer.action = .stopListen
        bench.peripheral.notify("2A37", Data([4]))
        bench.peripheral.notify("2A37", Data([5]))
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["unhandled 2A37: 1"])
        #expect(bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37", "unsubscribe 2A37"])
    }

    @Test func `a start that takes too long fails what is queued, without disconnecting`() {
        bench.bluejay.beginStartup()
        willRestore(.connected)
        bench.scan()
        bench.time.advance(by: 29.9)
        #expect(bench.journal.lines == [])
        bench.time.advance(by: 0.1)
        #expect(bench.journal.lines == ["scan stopped with 0: startupBackgroundTaskExpired"])
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a stop ends the time that a start may take`() {
        bench.bluejay.beginStartup()
        _ = bench.bluejay.stopAndExtractBluetoothState()
        bench.bluejay.start(mode: .use(manager: bench.central, peripheral: nil))
        bench.scan()
        bench.time.advance(by: 60)
        #expect(bench.journal.lines == [])
        #expect(bench.bluejay.isScanning)
    }

    @Test func `once Bluetooth is on, the start is over`() {
        bench.bluejay.beginStartup()
        willRestore(.connected)
        bench.central.power(.poweredOn)
        bench.journal.clear()
        bench.scan()
        bench.time.advance(by: 60)
        #expect(!bench.journal.lines.contains { $0.contains("Expired") })
        #expect(bench.bluejay.isScanning)
    }
}
