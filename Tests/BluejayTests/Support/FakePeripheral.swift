@testable import CoreBluetooth

/// A remote peripheral whose answers the test delivers, one by one or all that are due.
final class FakePeripheral: CBPeripheral, @unchecked Swift.Sendable {
    /// What it was asked for, by name and UUID.
    var calls: [String] = []
    var written: [Data] = []
    /// Errors for the next answers, by the name of the call.
    var failures: [String: any Error] = [:]
    /// What reads find, by the characteristic's UUID.
    var values: [String: Data?] = [:]
    /// Whether answers are delivered by themselves, later on the main queue.
    var answersByItself = false
    /// Called when notifications of a characteristic have been turned on, or a value has been written to it, while
    /// answering by itself.
    var onSubscribe: ((String) -> Void)?
    var onWrite: ((String, Data) -> Void)?
    /// Room for writes without response; nil is without limit.
    var room: Int?
    private let gatt: [CBService]
    private let allCharacteristics: [CBService: [CBCharacteristic]]
    private var answers: [() -> Void] = []

    /// - Parameter table: the UUIDs of the services and their characteristics.
    init(name: String? = "Fake", _ table: [(String, [String])] = [("180D", ["2A37", "2A38", "2A39"])]) {
        var characteristics: [CBService: [CBCharacteristic]] = [:]
        gatt = table.map { uuid, members in
            let service = CBService(uuid: CBUUID(string: uuid), isPrimary: true, peripheral: nil)
            characteristics[service] = members.map {
                CBCharacteristic(uuid: CBUUID(string: $0), properties: [.read, .write, .notify], service: service)
            }
            return service
        }
        allCharacteristics = characteristics
        super.init(identifier: UUID(), manager: nil)
        self.name = name
    }

    // What Bluejay calls.

    override func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        ask("discoverServices", serviceUUIDs?.first) {
            let found = self.gatt.filter { serviceUUIDs?.contains($0.uuid) ?? true }
            let error = self.failures.removeValue(forKey: "discoverServices")
            if error == nil {
                self.services = (self.services ?? []) + found.filter { !(self.services ?? []).contains($0) }
            }
            self.delegate?.peripheral(self, didDiscoverServices: error)
        }
    }

    override func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        ask("discoverCharacteristics", characteristicUUIDs?.first) {
            let found = (self.allCharacteristics[service] ?? []).filter {
                characteristicUUIDs?.contains($0.uuid) ?? true
            }
            let error = self.failures.removeValue(forKey: "discoverCharacteristics")
            if error == nil {
                let present = service.characteristics ?? []
                service.characteristics = present + found.filter { !present.contains($0) }
            }
            self.delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        }
    }

    override func readValue(for characteristic: CBCharacteristic) {
        ask("read", characteristic.uuid) {
            let error = self.failures.removeValue(forKey: "read")
            if error == nil { characteristic.value = self.values[characteristic.uuid.uuidString] ?? nil }
            self.delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
        }
    }

    override func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        written.append(data)
        guard type == .withResponse else {
            calls.append("command \(characteristic.uuid.uuidString)")
            if let left = room {
                room = left - 1
                canSendWriteWithoutResponse = left > 1
            }
            return
        }
        ask("write", characteristic.uuid) {
            let error = self.failures.removeValue(forKey: "write")
            self.delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
            if error == nil { self.onWrite?(characteristic.uuid.uuidString, data) }
        }
    }

    override func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        let name = enabled ? "subscribe" : "unsubscribe"
        ask(name, characteristic.uuid) {
            let error = self.failures.removeValue(forKey: name)
            if error == nil { characteristic.isNotifying = enabled }
            self.delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error)
            if error == nil, enabled { self.onSubscribe?(characteristic.uuid.uuidString) }
        }
    }

    override func readRSSI() {
        calls.append("readRSSI")
    }

    // What the test says.

    /// Delivers the next answer.
    func answer() {
        if !answers.isEmpty { answers.removeFirst()() }
    }

    /// Delivers answers until none is due.
    func settle() {
        while !answers.isEmpty { answer() }
    }

    var isAwaited: Bool { !answers.isEmpty }

    func notify(_ uuid: String, of service: String = "180D", _ value: Data?, error: (any Error)? = nil) {
        guard let characteristic = find(uuid, of: service) else { return }
        characteristic.value = value
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
    }

    func makeRoom() {
        room = nil
        canSendWriteWithoutResponse = true
        delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
    }

    func report(rssi: Int, error: (any Error)? = nil) {
        delegate?.peripheral(self, didReadRSSI: NSNumber(value: rssi), error: error)
    }

    func changeServices(removing uuids: [String]) {
        let removed = gatt.filter { uuids.contains($0.uuid.uuidString) }
        services = services?.filter { !removed.contains($0) }
        delegate?.peripheral(self, didModifyServices: removed)
    }

    func isNotifying(_ uuid: String) -> Bool { find(uuid)?.isNotifying ?? false }

    func linkIsGone() {
        state = .disconnected
        services = nil
        for service in gatt { service.characteristics = nil }
        for characteristic in allCharacteristics.values.joined() { characteristic.isNotifying = false }
        answers = []
    }

    private func find(_ uuid: String, of service: String = "180D") -> CBCharacteristic? {
        let owner = gatt.first { $0.uuid == CBUUID(string: service) }
        return owner.flatMap { allCharacteristics[$0] }?.first { $0.uuid == CBUUID(string: uuid) }
    }

    private func ask(_ call: String, _ uuid: CBUUID?, _ answer: @escaping () -> Void) {
        calls.append("\(call) \(uuid?.uuidString ?? "all")")
        answers.append(answer)
        guard answersByItself else { return }
        DispatchQueue.main.async { self.answer() }
    }
}
