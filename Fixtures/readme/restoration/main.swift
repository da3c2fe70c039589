// The set-up of a program whose connection outlives it: who hears of the connection of an earlier run, and of values
// that have no listener yet.
import Bluejay
import UIKitStandIns

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)

/// Called AppDelegate on iOS, where the system makes one.
final class AppDelegate: UIApplicationDelegate, BackgroundRestorer, ListenRestorer, ConnectionObserver {
    let bluejay = Bluejay()

    func didFinishLaunching(withOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) {
        let config = BackgroundRestoreConfig(
            restoreIdentifier: "org.example.heart-rate",
            backgroundRestorer: self,
            listenRestorer: self,
            launchOptions: launchOptions)
        print("restoring: \(config.isRestoringFromBackground), \(config.centralKeys ?? [])")

        bluejay.register(connectionObserver: self)
        bluejay.start(mode: .new(StartOptions(enableBluetoothAlert: true, backgroundRestore: .enable(config))))
        print("enabled: \(bluejay.isBackgroundRestorationEnabled)")
    }

    func bluetoothAvailable(_ available: Bool) {
        print("available: \(available)")
        guard available, !bluejay.isConnected, !bluejay.isConnecting else { return }
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [heartRate],
            discovery: { discovery, _ in .connect(discovery, .seconds(15), .default) { _ in } },
            stopped: { discoveries, _ in if discoveries.isEmpty { exit(1) } })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        print("connected")
        listen { [weak self] in
            print("listening")
            self?.bluejay.disconnect { _ in exit(0) }
        }
    }

    private func listen(then: (() -> Void)? = nil) {
        var then = then
        bluejay.listen(to: measurement, multipleListenOption: .replaceable) { (result: ReadResult<Data>) in
            if case .failure(let error) = result { print("failed: \(error.localizedDescription)") }
            then?()
            then = nil
        }
    }

    // MARK: BackgroundRestorer

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        .callback { [weak self] in self?.listen() }
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier, error: Error
    ) -> BackgroundRestoreCompletion {
        print("not restored: \(error.localizedDescription)")
        return .continue
    }

    // MARK: ListenRestorer

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier, on characteristic: CharacteristicIdentifier, with value: Data?
    ) -> ListenRestoreAction {
        guard characteristic == measurement else { return .stopListen }
        listen()
        return .promiseRestoration
    }
}

let delegate = AppDelegate()
delegate.didFinishLaunching(withOptions: nil)
dispatchMain()
