// A peripheral in the manner of Apple's documentation, which answers JSON messages between STX and ETX. It works on a
// queue of its own, and starts again whenever Bluetooth is switched on.
import CoreBluetooth

struct Request: Codable {
    let id: Int
    let kind: String
    let text: String
}

struct Reply: Codable {
    let id: Int
    let text: String
}

final class Responder: NSObject, CBPeripheralManagerDelegate {
    private static let serviceUUID = CBUUID(string: "4A534F4E-0000-4000-8000-000000000000")
    private static let inputUUID = CBUUID(string: "4A534F4E-0001-4000-8000-000000000000")
    private static let outputUUID = CBUUID(string: "4A534F4E-0002-4000-8000-000000000000")
    private static let limit = 65_536

    private let queue = DispatchQueue(label: "org.example.responder")
    private var manager: CBPeripheralManager?
    private var output: CBMutableCharacteristic?
    /// The part of each central's message that has arrived so far.
    private var incoming: [UUID: Data] = [:]
    private var outgoing: [(piece: Data, central: CBCentral)] = []

    func start() {
        manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionShowPowerAlertKey: false])
    }

    // MARK: Being found

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        incoming = [:]
        outgoing = []
        guard peripheral.state == .poweredOn else { return print("Bluetooth is not on") }
        let input = CBMutableCharacteristic(
            type: Self.inputUUID, properties: [.write], value: nil, permissions: [.writeable])
        let output = CBMutableCharacteristic(
            type: Self.outputUUID, properties: .notify, value: nil, permissions: .readable)
        let service = CBMutableService(type: Self.serviceUUID, primary: true)
        service.characteristics = [input, output]
        self.output = output
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error { return print("not published: \(error.localizedDescription)") }
        print("published")
        guard !peripheral.isAdvertising else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "JSON",
            CBAdvertisementDataServiceUUIDsKey: [Self.serviceUUID],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        print(error.map { "not advertising: \($0.localizedDescription)" } ?? "advertising")
    }

    // MARK: Subscriptions

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        print("subscribed, \(central.maximumUpdateValueLength) bytes a notification")
        incoming[central.identifier] = nil
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        print("unsubscribed, \(output?.subscribedCentrals?.count ?? 0) left")
        incoming[central.identifier] = nil
        outgoing.removeAll { $0.central.identifier == central.identifier }
    }

    // MARK: Messages

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        guard requests.allSatisfy({ $0.characteristic.uuid == Self.inputUUID }) else {
            return peripheral.respond(to: first, withResult: .writeNotPermitted)
        }
        peripheral.respond(to: first, withResult: .success)
        for request in requests { add(request.value ?? Data(), from: request.central) }
    }

    private func add(_ piece: Data, from central: CBCentral) {
        for byte in piece {
            switch byte {
            case 0x02:
                incoming[central.identifier] = Data()
            case 0x03:
                if let message = incoming.removeValue(forKey: central.identifier) { answer(message, of: central) }
            default:
                // Bytes without an STX, and a message that would never end, are ignored.
                if let count = incoming[central.identifier]?.count, count < Self.limit {
                    incoming[central.identifier]?.append(byte)
                }
            }
        }
    }

    private func answer(_ message: Data, of central: CBCentral) {
        guard let request = try? JSONDecoder().decode(Request.self, from: message) else {
            return print("not understood: \(message.count) bytes")
        }
        let text: String
        switch request.kind {
        case "upper": text = request.text.uppercased()
        case "count": text = String(repeating: "#", count: min(Int(request.text) ?? 0, Self.limit))
        default: text = "unknown kind"
        }
        guard let json = try? JSONEncoder().encode(Reply(id: request.id, text: text)) else { return }
        let whole = Data([0x02]) + json + Data([0x03])
        print("request \(request.id): \(message.count) bytes, answered with \(json.count)")
        let length = max(20, central.maximumUpdateValueLength)
        for start in stride(from: 0, to: whole.count, by: length) {
            outgoing.append((Data(whole[start..<min(start + length, whole.count)]), central))
        }
        send()
    }

    private func send() {
        guard let manager, let output else { return }
        while let next = outgoing.first {
            guard manager.updateValue(next.piece, for: output, onSubscribedCentrals: [next.central]) else { return }
            outgoing.removeFirst()
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        send()
    }
}

let responder = Responder()
responder.start()
dispatchMain()
