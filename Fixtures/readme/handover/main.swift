// A program with CoreBluetooth that lets Bluejay take over for a while, and takes the connection back.
import Bluejay
import CoreBluetooth

let heartRate = CBUUID(string: "180D")
let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: ServiceIdentifier(uuid: heartRate))

final class App: NSObject, CBCentralManagerDelegate {
    private lazy var manager = CBCentralManager(delegate: self, queue: .main)
    private var peripheral: CBPeripheral?
    private let bluejay = Bluejay()
    private var isBack = false

    func begin() {
        print("started: \(bluejay.hasStarted), \(manager.state.string())")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [heartRate])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        self.peripheral = peripheral
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        print("connected by CoreBluetooth: \(peripheral.state.string())")
        bluejay.start(mode: .use(manager: central, peripheral: peripheral))
        print("handed over: \(bluejay.isConnected)")
        bluejay.read(from: sensorLocation) { [weak self] (result: ReadResult<UInt8>) in
            switch result {
            case .success(let location): print("worn at \(location)")
            case .failure(let error): print("failed: \(error.localizedDescription)")
            }
            self?.takeBack()
        }
    }

    private func takeBack() {
        let (manager, peripheral) = bluejay.stopAndExtractBluetoothState()
        guard let peripheral else {
            print("the connection is lost")
            exit(1)
        }
        print("taken back: \(peripheral.state.string()), \(bluejay.hasStarted)")
        manager.delegate = self
        let known = peripheral.service(with: heartRate)?.characteristic(with: CBUUID(string: "2A38"))
        print("value: \(known?.value?.count ?? 0) byte")
        isBack = true
        manager.cancelPeripheralConnection(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        print("disconnected: \(isBack && error == nil)")
        exit(0)
    }
}

let app = App()
app.begin()
dispatchMain()
