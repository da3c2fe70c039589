import Bluejay
import CoreBluetooth

@MainActor
final class ChirpMonitor: @preconcurrency BackgroundRestorer, @preconcurrency ListenRestorer {
    let bluejay = Bluejay()
    let chirp = CharacteristicIdentifier(
        uuid: "83B4A431-A6F1-4540-B3EE-3C14AEF71A04",
        service: ServiceIdentifier(uuid: "CED261B7-F120-41C8-9A92-A41DE69CF2A8"))

    func start() {
        let config = BackgroundRestoreConfig(
            restoreIdentifier: "chirps", backgroundRestorer: self, listenRestorer: self,
            launchOptions: Bluejay.launchOptions)
        bluejay.start(mode: .new(StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))))
        if !config.isRestoringFromBackground {
            // A fresh start: scan and connect as usual.
        }
    }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier, error: Error
    ) -> BackgroundRestoreCompletion {
        .callback { [bluejay] in bluejay.connect(peripheral) { _ in } }
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier, on characteristic: CharacteristicIdentifier, with value: Data?
    ) -> ListenRestoreAction {
        guard characteristic == chirp else { return .stopListen }
        show(value)
        bluejay.listen(to: chirp, multipleListenOption: .replaceable) { [weak self] (result: ReadResult<Data>) in
            if case .success(let value) = result { MainActor.assumeIsolated { self?.show(value) } }
        }
        return .promiseRestoration
    }

    func show(_ value: Data?) {
        print("chirp", value ?? Data())
    }
}

private let levelUUID = CBUUID(string: "2A19")

private final class BatteryLevel: NSObject, CBPeripheralManagerDelegate {
    private var level: CBMutableCharacteristic?

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let characteristics = services.flatMap { $0.characteristics ?? [] }
        level = characteristics.first { $0.uuid == levelUUID } as? CBMutableCharacteristic
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return level = nil }
        guard level == nil else { return }
        // A fresh start: make the services, add them, advertise.
    }
}
