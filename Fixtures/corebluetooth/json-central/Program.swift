// A central in the manner of Apple's documentation. It finds its device once, knows it again at the next launch, stays
// with it when it goes out of range and comes back, and exchanges JSON messages with it, each between STX and ETX, in
// as many pieces as the link asks for.
// usage: json-central [SESSIONS], after how many connections with all messages exchanged it ends
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

/// Finds the messages in pieces that come one by one.
struct MessageReader {
    private var message: Data?

    mutating func add(_ piece: Data) -> [Data] {
        var messages: [Data] = []
        for byte in piece {
            switch byte {
            case 0x02:
                message = Data()
            case 0x03:
                if let message { messages.append(message) }
                message = nil
            default:
                message?.append(byte)
            }
        }
        return messages
    }
}

@MainActor
final class Central: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private enum State {
        case off
        case scanning
        case connecting(CBPeripheral)
        case preparing(CBPeripheral)
        case ready(CBPeripheral)
        case leaving(CBPeripheral)
    }

    private static let service = CBUUID(string: "4A534F4E-0000-4000-8000-000000000000")
    private static let toDevice = CBUUID(string: "4A534F4E-0001-4000-8000-000000000000")
    private static let fromDevice = CBUUID(string: "4A534F4E-0002-4000-8000-000000000000")
    private static let storedKey = "device"
    /// How much the device takes at once, whatever the link may carry.
    private static let longestPiece = 180
    private static let questions: [(kind: String, text: String, expected: String)] = [
        ("upper", "quick brown fox", "QUICK BROWN FOX"),
        ("upper", "smørrebrød, {\"€\": [1, 2]}\n", "SMØRREBRØD, {\"€\": [1, 2]}\n"),
        ("upper", String(repeating: "long ", count: 500), String(repeating: "LONG ", count: 500)),
        ("count", "3000", String(repeating: "#", count: 3000)),
    ]

    private var manager: CBCentralManager!
    private var state = State.off
    private var reader = MessageReader()
    private var pieces: [Data] = []
    private var asked = 0
    private var deadline: Task<Void, Never>?
    private var session = 0
    private let wantedSessions: Int

    init(sessions: Int) {
        wantedSessions = sessions
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    // MARK: Finding the device

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            seek()
        case .unauthorized:
            print("no permission: \(CBCentralManager.authorization.rawValue)")
        case .unsupported:
            print("no Bluetooth LE here")
        case .unknown, .resetting, .poweredOff:
            print("Bluetooth is not on")
            forgetLink()
            state = .off
        @unknown default:
            print("unknown state \(central.state.rawValue)")
        }
    }

    private func seek() {
        let stored = UserDefaults.standard.string(forKey: Self.storedKey).flatMap { UUID(uuidString: $0) }
        if let stored, let peripheral = manager.retrievePeripherals(withIdentifiers: [stored]).first {
            print("known from an earlier launch")
            connect(peripheral)
        } else if let peripheral = manager.retrieveConnectedPeripherals(withServices: [Self.service]).first {
            print("connected by another program")
            connect(peripheral)
        } else {
            print("scanning")
            state = .scanning
            manager.scanForPeripherals(
                withServices: [Self.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard case .scanning = state else { return }
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        print("discovered, with its service: \(services.contains(Self.service))")
        central.stopScan()
        connect(peripheral)
    }

    /// Never gives up: this is how to wait for a device to come into range.
    private func connect(_ peripheral: CBPeripheral) {
        state = .connecting(peripheral)
        peripheral.delegate = self
        manager.connect(peripheral, options: [CBConnectPeripheralOptionNotifyOnDisconnectionKey: true])
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        print("connected")
        UserDefaults.standard.set(peripheral.identifier.uuidString, forKey: Self.storedKey)
        UserDefaults.standard.synchronize()
        prepare(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        print("not connected: \(error?.localizedDescription ?? "no reason given")")
        connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        forgetLink()
        if case .leaving = state, error == nil {
            print("left")
            exit(0)
        }
        switch (error as? CBError)?.code {
        case .connectionTimeout?: print("lost: out of range")
        case .peripheralDisconnected?: print("lost: the device has hung up")
        default: print("lost: \(error?.localizedDescription ?? "by our own wish")")
        }
        connect(peripheral)
    }

    private func forgetLink() {
        deadline?.cancel()
        pieces = []
        reader = MessageReader()
    }

    // MARK: Getting ready

    private func prepare(_ peripheral: CBPeripheral) {
        state = .preparing(peripheral)
        reader = MessageReader()
        setDeadline("not ready in time")
        peripheral.discoverServices([Self.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == Self.service }), error == nil else {
            return retry(peripheral, "no service", error)
        }
        peripheral.discoverCharacteristics([Self.toDevice, Self.fromDevice], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        guard let output = characteristic(Self.fromDevice, of: peripheral), output.properties.contains(.notify),
            let input = characteristic(Self.toDevice, of: peripheral), input.properties.contains(.write)
        else { return retry(peripheral, "no characteristics", error) }
        peripheral.setNotifyValue(true, for: output)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        guard characteristic.isNotifying else { return retry(peripheral, "no notifications", error) }
        // Services that changed while they were being discovered were discovered twice.
        guard case .preparing = state else { return }
        print("ready, \(peripheral.maximumWriteValueLength(for: .withResponse)) bytes a write")
        state = .ready(peripheral)
        asked = 0
        ask()
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.isEmpty || invalidatedServices.contains(where: { $0.uuid == Self.service }) else {
            return
        }
        print("services changed")
        forgetLink()
        prepare(peripheral)
    }

    /// A device without its service is starting or ending: it is tried again after its next connection.
    private func retry(_ peripheral: CBPeripheral, _ reason: String, _ error: Error?) {
        print("\(reason): \(error?.localizedDescription ?? "not there")")
        manager.cancelPeripheralConnection(peripheral)
    }

    private func characteristic(_ uuid: CBUUID, of peripheral: CBPeripheral) -> CBCharacteristic? {
        let service = peripheral.services?.first { $0.uuid == Self.service }
        return service?.characteristics?.first { $0.uuid == uuid }
    }

    // MARK: Exchanging messages

    private func ask() {
        guard case .ready(let peripheral) = state else { return }
        let question = Self.questions[asked]
        guard let json = try? JSONEncoder().encode(Request(id: asked, kind: question.kind, text: question.text)) else {
            return
        }
        let message = Data([0x02]) + json + Data([0x03])
        let length = min(peripheral.maximumWriteValueLength(for: .withoutResponse), Self.longestPiece)
        pieces = stride(from: 0, to: message.count, by: length).map { start in
            Data(message[start..<min(start + length, message.count)])
        }
        setDeadline("no reply to \(asked)")
        writePiece()
    }

    private func writePiece() {
        guard case .ready(let peripheral) = state, let piece = pieces.first,
            let input = characteristic(Self.toDevice, of: peripheral)
        else { return }
        peripheral.writeValue(piece, for: input, type: .withResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        if let error { return print("not written: \((error as NSError).domain) \((error as NSError).code)") }
        if !pieces.isEmpty { pieces.removeFirst() }
        writePiece()
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard characteristic.uuid == Self.fromDevice, let piece = characteristic.value else { return }
        for message in reader.add(piece) {
            guard let reply = try? JSONDecoder().decode(Reply.self, from: message) else {
                print("not understood: \(message.count) bytes")
                continue
            }
            take(reply)
        }
    }

    private func take(_ reply: Reply) {
        guard case .ready = state, reply.id == asked else { return print("unexpected reply \(reply.id)") }
        deadline?.cancel()
        let isRight = reply.text == Self.questions[asked].expected
        print("reply \(reply.id): \(reply.text.count) characters, \(isRight ? "right" : "wrong")")
        asked += 1
        if asked < Self.questions.count { ask() } else { endSession() }
    }

    private func endSession() {
        session += 1
        print("session \(session) done")
        guard session == wantedSessions, case .ready(let peripheral) = state else { return }
        state = .leaving(peripheral)
        manager.cancelPeripheralConnection(peripheral)
    }

    /// Gives up a link that does not carry anything, and makes it again.
    private func setDeadline(_ reason: String) {
        deadline?.cancel()
        deadline = Task { [weak self] in
            try? await Task.sleep(nanoseconds: 20_000_000_000)
            if !Task.isCancelled { self?.timeIsUp(reason) }
        }
    }

    private func timeIsUp(_ reason: String) {
        switch state {
        case .preparing(let peripheral), .ready(let peripheral):
            print(reason)
            manager.cancelPeripheralConnection(peripheral)
        case .off, .scanning, .connecting, .leaving:
            break
        }
    }
}

@main
enum Program {
    @MainActor private static var central: Central?

    @MainActor static func main() {
        central = Central(sessions: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
        dispatchMain()
    }
}
