import MainLoop

/// Ends what a Bluejay instance leaves behind: operations whose completions must be called, and the link.
struct Teardown {
    let queue: OperationFIFO
    let central: CBCentralManager?
    let link: Bluejay.Link
    let scan: ScanOperation?
    let broadcastsErrors: Bool
    let connectionObservers: [any ConnectionObserver]
    let log: Log

    /// Fails the operations and ends the link. Can be called on any thread, because the last reference to Bluejay may
    /// be released on any thread.
    func run() {
        MainQueue.run { self.runNow() }
    }

    private func runNow() {
        let error = BluejayError.cancelled
        let peripheral: CBPeripheral?
        if let connected = link.connection {
            if broadcastsErrors { connected.listeners.broadcast(error) }
            connected.listeners.linkEnded(error)
            connected.detach()
            peripheral = connected.cbPeripheral
        } else {
            peripheral = link.attempt?.peripheral
        }
        queue.hold {
            if let scan, scan.phase != .ended { scan.fail(error) }
            queue.failAll(error, atOnce: true)
        }
        ConnectionEventRelay.finish(among: connectionObservers)
        if let central, let peripheral, central.state == .poweredOn {
            DisconnectDuringTeardown(of: peripheral, central).begin()
        }
    }
}

/// Keeps a central manager alive until its peripheral is disconnected.
// @unchecked: used on the main queue only, on which the central manager delivers.
private final class DisconnectDuringTeardown: NSObject, CBCentralManagerDelegate, @unchecked Swift.Sendable {
    private let peripheral: CBPeripheral
    private let central: CBCentralManager
    /// An intended cycle, because nothing else retains this object.
    private var keptAlive: DisconnectDuringTeardown?
    private let confirmation = Deadline(DispatchClock(queue: .main))

    init(of peripheral: CBPeripheral, _ central: CBCentralManager) {
        self.peripheral = peripheral
        self.central = central
    }

    func begin() {
        keptAlive = self
        central.delegate = self
        confirmation.set(in: Bluejay.disconnectConfirmationTimeout) { [weak self] in self?.end() }
        central.cancelPeripheralConnection(peripheral)
    }

    private func end() {
        confirmation.clear()
        if central.delegate === self { central.delegate = nil }
        keptAlive = nil
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state != .poweredOn { end() }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if peripheral === self.peripheral { end() }
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        if peripheral === self.peripheral { end() }
    }
}
