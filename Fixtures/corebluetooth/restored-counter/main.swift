// A peripheral with state restoration: it counts what is written, and comes back with its services and subscribers
// when it was killed. What happens is appended to a file, because the run that comes back has no terminal.
//
//     restored-counter FILE [again]
//
// With "again" it republishes everything when Bluetooth is on, as programs do that do not look at what was restored.
//
// Writes: "count" counts and notifies; "hold TEXT" is answered only by the run after the one that it came to first, so
// that a test can kill this one meanwhile; "crash" ends it at once, and is then answered by the next run.
import CoreBluetooth

final class Counter: NSObject, CBPeripheralManagerDelegate {
    private static let serviceUUID = CBUUID(string: "C0117E50-0000-4000-8000-000000000000")
    private static let modelUUID = CBUUID(string: "C0117E50-0001-4000-8000-000000000000")
    private static let countUUID = CBUUID(string: "C0117E50-0002-4000-8000-000000000000")
    private static let controlUUID = CBUUID(string: "C0117E50-0003-4000-8000-000000000000")

    private let queue = DispatchQueue(label: "org.example.counter")
    private let path: String
    /// What was written to the file before this run.
    private let past: [String]
    private var manager: CBPeripheralManager?
    private var count: CBMutableCharacteristic?
    private var number = 0
    private let publishesAgain: Bool

    init(_ path: String, publishesAgain: Bool) {
        self.path = path
        self.publishesAgain = publishesAgain
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        past = text.split(separator: "\n").map(String.init)
        super.init()
        number = past.filter { $0.hasPrefix("counted ") }.count
    }

    func start() {
        log("started \(getpid())")
        manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "counter"])
    }

    private func log(_ line: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { return }
        _ = (line + "\n").withCString { write(descriptor, $0, strlen($0)) }
        close(descriptor)
    }

    // MARK: Being found

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        count =
            services.first { $0.uuid == Self.serviceUUID }?.characteristics?
            .first { $0.uuid == Self.countUUID } as? CBMutableCharacteristic
        let name = advertisement?[CBAdvertisementDataLocalNameKey] as? String ?? "nothing"
        log(
            "restored \(services.count) services, \(count?.subscribedCentrals?.count ?? 0) subscribed, "
                + "advertising \(name)")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        log("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn else { return count = nil }
        if publishesAgain {
            peripheral.removeAllServices()
            count = nil
        }
        // What was restored is published already.
        guard count == nil else { return }
        let model = CBMutableCharacteristic(
            type: Self.modelUUID, properties: .read, value: Data("Counter".utf8), permissions: .readable)
        let count = CBMutableCharacteristic(
            type: Self.countUUID, properties: [.read, .notify], value: nil, permissions: .readable)
        let control = CBMutableCharacteristic(
            type: Self.controlUUID, properties: .write, value: nil, permissions: .writeable)
        let service = CBMutableService(type: Self.serviceUUID, primary: true)
        service.characteristics = [model, count, control]
        self.count = count
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error { return log("not published: \(error.localizedDescription)") }
        log("published")
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Counter", CBAdvertisementDataServiceUUIDsKey: [Self.serviceUUID],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        log(error.map { "not advertising: \($0.localizedDescription)" } ?? "advertising")
    }

    // MARK: Subscriptions

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log("subscribed")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        log("unsubscribed")
    }

    // MARK: Requests

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        log("read")
        request.value = Data(String(number).utf8)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        let text = String(decoding: request.value ?? Data(), as: UTF8.self)
        if text.hasPrefix("hold ") || text == "crash" {
            let isNew = !past.contains("held \(text)")
            log(isNew ? "held \(text)" : "answered \(text)")
            if isNew, text == "crash" { kill(getpid(), SIGKILL) }
            if isNew { return held.append(request) }
        }
        let counts = text.hasPrefix("count")
        if counts {
            number += 1
            log("counted \(number)")
        }
        // Not before it is on record: what is answered is not asked for again.
        peripheral.respond(to: request, withResult: .success)
        guard counts, let count else { return }
        peripheral.updateValue(Data(String(number).utf8), for: count, onSubscribedCentrals: nil)
    }

    /// Requests that the next run is to answer.
    private var held: [CBATTRequest] = []
}

let arguments = CommandLine.arguments.dropFirst()
let counter = Counter(arguments.first ?? "/dev/null", publishesAgain: arguments.dropFirst().first == "again")
counter.start()
dispatchMain()
