import BlueZ
import CoreBluetooth
import MainLoop
import PlainText

/// The link to the device that is proxied: finds the device, connects to it, finds out what it offers,
/// and connects again whenever the link is lost. Used on the peripheral's queue only.
// @unchecked: everything happens on the clock's queue, on which the manager calls back.
final class DeviceLink: NSObject, @unchecked Swift.Sendable {
    /// What happens to the link.
    enum Event {
        /// The device is connected, and all that it offers is known.
        case ready(DeviceTable)
        /// The device's services have changed.
        case changed(DeviceTable)
        /// The link has ended. It is made again.
        case lost
        /// The device has notified or indicated a value.
        case value(CBCharacteristic, Data)
        /// The device was not found, or Bluetooth cannot be used; only before the first `ready`.
        case failed(DittojayError)
    }

    let requests: DeviceRequests
    private let selector: DeviceSelector
    private let timeout: Double
    private let clock: any Clock
    private let session: BlueZSession
    private let onEvent: (Event) -> Void

    private(set) var advertisement = DeviceAdvertisement()
    private(set) var peripheral: CBPeripheral?
    private var manager: CBCentralManager?
    private var exploration: DeviceExploration?
    /// Whether the services have changed since the exploration began.
    private var hasChanged = false
    /// Whether the device was connected and known at least once.
    private var hasBeenReady = false
    /// Whether what the device offers over this link is known.
    private(set) var isReady = false
    private var isClosed = false
    private var deadline: OneShotTimer?

    /// How long what is advertised is gathered once the device is found: a scan response comes by itself.
    private static let gatheringTime = 1.0
    /// How long to wait after an attempt to connect has failed.
    private static let pause = 1.0

    init(
        to selector: DeviceSelector, timeout: Double, clock: any Clock, session: BlueZSession,
        onEvent: @escaping (Event) -> Void
    ) {
        self.selector = selector
        self.timeout = timeout
        self.clock = clock
        requests = DeviceRequests(clock: clock)
        self.session = session
        self.onEvent = onEvent
    }

    /// Looks for the device, which bluetoothd is to know nothing of from before.
    ///
    /// - Parameter adapter: the controller's address.
    func open(on adapter: String) {
        guard !isClosed else { return }
        deadline = clock.after(timeout) { [weak self] in self?.timeIsUp() }
        manager = CBCentralManager(
            delegate: self, queue: clock.queue, options: [CBCentralManagerOptionAdapterKey: adapter], session: session)
    }

    /// Ends the link for good, and calls `done` when it has ended.
    func close(_ done: @escaping () -> Void) {
        isClosed = true
        deadline?.cancel()
        requests.close()
        exploration = nil
        guard let manager, let peripheral, manager.state == .poweredOn, peripheral.state != .disconnected else {
            manager = nil
            return done()
        }
        onClosed = done
        manager.cancelPeripheralConnection(peripheral)
    }

    private var onClosed: (() -> Void)?

    private func timeIsUp() {
        guard !hasBeenReady, !isClosed else { return }
        let limit = Duration.text(seconds: timeout)
        let reason =
            peripheral == nil
            ? "no device \(selector.text) was found within \(limit)"
            : "\(selector.text) was not connected and explored within \(limit)"
        onEvent(.failed(.deviceUnavailable(reason + " (--connect-timeout)")))
    }

    // MARK: Connecting

    private func connect() {
        guard !isClosed, let manager, let peripheral, manager.state == .poweredOn else { return }
        manager.connect(peripheral)
    }

    /// Connects again after a while.
    private func connectLater() {
        clock.after(Self.pause) { [weak self] in self?.connect() }
    }

    private func linkEnded() {
        exploration = nil
        hasChanged = false
        let wasReady = isReady
        isReady = false
        requests.close()
        if wasReady, !isClosed { onEvent(.lost) }
    }

    private func explore(_ peripheral: CBPeripheral) {
        hasChanged = false
        let exploration = DeviceExploration(peripheral, requests) { [weak self] table in self?.explored(table) }
        self.exploration = exploration
        exploration.start()
    }

    private func explored(_ table: DeviceTable?) {
        exploration = nil
        guard let peripheral, peripheral.state == .connected else { return }
        if hasChanged { return explore(peripheral) }
        guard let table else {
            // The services could not be found. Another link may do better.
            manager?.cancelPeripheralConnection(peripheral)
            return
        }
        let wasReady = isReady
        isReady = true
        hasBeenReady = true
        deadline?.cancel()
        onEvent(wasReady ? .changed(table) : .ready(table))
    }
}

extension DeviceLink: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else {
            linkEnded()
            if !hasBeenReady, central.state != .unknown {
                onEvent(.failed(.adapterUnusable("the controller for the device is off, or cannot be used")))
            }
            return
        }
        guard let known = peripheral else {
            return central.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
        peripheral = central.retrievePeripherals(withIdentifiers: [known.identifier]).first ?? known
        peripheral?.delegate = self
        connect()
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover found: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let isNew = peripheral == nil
        if isNew {
            let names = [advertisementData[CBAdvertisementDataLocalNameKey] as? String, found.name]
            guard selector.matches(found.identifier, names: names) else { return }
            peripheral = found
            found.delegate = self
        }
        guard found === peripheral else { return }
        advertisement.add(advertisementData)
        guard isNew else { return }
        clock.after(Self.gatheringTime) { [weak self] in
            self?.manager?.stopScan()
            self?.connect()
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard !isClosed else { return central.cancelPeripheralConnection(peripheral) }
        requests.open(peripheral)
        explore(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        connectLater()
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        linkEnded()
        if isClosed {
            manager = nil
            let closed = onClosed
            onClosed = nil
            closed?()
        } else if error == nil {
            connectLater()
        } else {
            connect()
        }
    }
}

extension DeviceLink: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        hasChanged = true
        if exploration == nil { explore(peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        exploration?.foundServices(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        exploration?.foundCharacteristics(of: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        exploration?.foundDescriptors(of: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        exploration?.wasRead(descriptor)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard error == nil, characteristic.isValueNotified else { return requests.wasRead(characteristic, error) }
        onEvent(.value(characteristic, characteristic.value ?? Data()))
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        requests.wasWritten(characteristic, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        requests.notificationStateChanged(of: characteristic, error)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        requests.proceed()
    }
}
