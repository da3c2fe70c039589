public import CoreBluetooth
import Testing

// Code in the Swift 5 language mode, as in most existing programs: no annotations for concurrency anywhere.

extension CBManagerState: CustomStringConvertible {
    public var description: String { self == .poweredOn ? "on" : "not on" }
}

protocol ScannerListener: AnyObject {
    func scanner(_ scanner: Scanner5, found peripheral: CBPeripheral)
}

class Scanner5: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    static let shared = Scanner5()
    static var serviceUUID = CBUUID(string: "180D")
    var lastUUID = CBUUID()
    var startTime = CFAbsoluteTimeGetCurrent()

    lazy var manager = CBCentralManager(delegate: self, queue: nil)
    var peripherals = Set<CBPeripheral>()
    weak var listener: ScannerListener?
    var completion: ((Error?) -> Void)?

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn {
            central.scanForPeripherals(withServices: [Scanner5.serviceUUID], options: nil)
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripherals.insert(peripheral)
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
            self.listener?.scanner(self, found: peripheral)
            self.manager.connect(peripheral, options: [CBConnectPeripheralOptionNotifyOnConnectionKey: true])
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        DispatchQueue.global().async { peripheral.discoverServices(nil) }
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        switch (error as? CBError)?.code {
        case .connectionTimeout?: completion?(error)
        case .some(let code) where code.rawValue > 10: completion?(nil)
        default: break
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
    }
}

class Sensor5: NSObject, CBPeripheralManagerDelegate {
    var manager: CBPeripheralManager!
    let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.notify, .read], value: nil, permissions: [.readable])

    override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        switch peripheral.state {
        case .poweredOn:
            let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
            service.characteristics = [characteristic]
            peripheral.add(service)
        default:
            break
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([0, 60])
        peripheral.respond(to: request, withResult: .success)
        peripheral.updateValue(Data([0, 60]), for: characteristic, onSubscribedCentrals: nil)
    }
}

@Suite struct Swift5AppTests {
    @Test func `code in the Swift 5 language mode compiles and creates its managers`() {
        let scanner = Scanner5()
        #expect(scanner.manager.delegate === scanner)
        #expect(!scanner.manager.isScanning)
        let sensor = Sensor5()
        #expect(sensor.manager.delegate === sensor)
        #expect("\(CBManagerState.unknown)" == "not on")
    }

    @Test func `an error is matched in the Swift 5 language mode`() {
        let error: Error = CBATTError(.readNotPermitted)
        #expect((error as NSError).code == CBATTError.readNotPermitted.rawValue)
        if case CBATTError.readNotPermitted = error {} else { Issue.record("not matched") }
    }
}
