import CoreBluetooth

final class Battery: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager?

    func start() {
        manager = CBPeripheralManager(
            delegate: self, queue: nil, options: [CBPeripheralManagerOptionAdapterKey: "hci0"])
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return say("Bluetooth cannot be used") }
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "2A19"), properties: .read, value: Data([83]), permissions: .readable)
        ]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return say("no service: \(error)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Battery",
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        say(error.map { "not advertising: \($0)" } ?? "advertising")
    }
}

func say(_ text: String) {
    print(text)
    fflush(nil)
}

let battery = Battery()
battery.start()
dispatchMain()
