import CoreBluetooth

/// On the main actor, like most of an app.
@MainActor
final class Scanner: NSObject {
    private var manager: CBCentralManager?
    private var isReady = false

    func start() {
        manager = CBCentralManager(delegate: self, queue: nil)
    }
}

extension Scanner: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        isReady = central.state == .poweredOn
        say(isReady ? "ready on the main actor" : "not ready")
    }
}

/// On a queue of its own, which guards its state.
final class BackgroundScanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "scanner")
    private var manager: CBCentralManager?
    private var seen: Set<UUID> = []

    func start() {
        queue.async { self.manager = CBCentralManager(delegate: self, queue: self.queue) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard seen.insert(peripheral.identifier).inserted else { return }
        let name = peripheral.name ?? "a device without a name"
        Task { @MainActor in say("seen: \(name)") }
    }
}

@MainActor
func say(_ text: String) {
    print(text)
    fflush(nil)
}

let scanner = Scanner()
scanner.start()
let background = BackgroundScanner()
background.start()
dispatchMain()
