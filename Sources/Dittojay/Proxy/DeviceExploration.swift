import BlueZ
import CoreBluetooth

/// Finds out all that a connected device offers. Used on the peripheral's queue only.
final class DeviceExploration {
    private let peripheral: CBPeripheral
    private let requests: DeviceRequests
    /// Called once, with nil if the services cannot be known.
    private let done: (DeviceTable?) -> Void
    /// How many questions are not answered yet.
    private var questions = 0
    private var hasFailed = false
    private var isDone = false
    /// The PnP IDs that were read.
    private var identities: [ObjectIdentifier: Data] = [:]

    /// Descriptors that bluetoothd makes from the properties.
    private static let ownDescriptors = ["2900", "2902", "2903"]

    init(_ peripheral: CBPeripheral, _ requests: DeviceRequests, done: @escaping (DeviceTable?) -> Void) {
        self.peripheral = peripheral
        self.requests = requests
        self.done = done
    }

    func start() {
        ask { peripheral.discoverServices(nil) }
    }

    // MARK: Answers

    func foundServices(_ error: (any Error)?) {
        hasFailed = error != nil
        for service in peripheral.services ?? [] where error == nil {
            ask { peripheral.discoverCharacteristics(nil, for: service) }
        }
        answered()
    }

    func foundCharacteristics(of service: CBService) {
        for characteristic in service.characteristics ?? [] {
            ask { peripheral.discoverDescriptors(for: characteristic) }
        }
        if let identity = DeviceTable.identity(of: service) {
            questions += 1
            requests.read(identity) { [weak self] answer in
                if case .value(let value) = answer.outcome { self?.identities[ObjectIdentifier(identity)] = value }
                self?.answered()
            }
        }
        answered()
    }

    func foundDescriptors(of characteristic: CBCharacteristic) {
        for descriptor in characteristic.descriptors ?? []
        where !Self.ownDescriptors.contains(descriptor.uuid.uuidString) {
            ask { peripheral.readValue(for: descriptor) }
        }
        answered()
    }

    /// A descriptor was read, or not: one without a value is not offered.
    func wasRead(_ descriptor: CBDescriptor) {
        answered()
    }

    private func ask(_ question: () -> Void) {
        questions += 1
        question()
    }

    private func answered() {
        questions -= 1
        guard questions == 0, !isDone else { return }
        isDone = true
        done(hasFailed ? nil : DeviceTable(peripheral.services ?? [], identities: identities))
    }
}
