import Bluejay
import GATTProfiles

/// A connected peripheral used without Bluejay, for what Bluejay's API has no call for: to discover everything, and to
/// write without response no faster than the link takes it.
@MainActor
final class DirectPeripheral: NSObject, @preconcurrency CBPeripheralDelegate, @preconcurrency CBCentralManagerDelegate {
    let peripheral: CBPeripheral
    private let manager: CBCentralManager
    private var waiting: CheckedContinuation<Void, any Error>?
    /// Answers that are outstanding before `waiting` goes on.
    private var outstanding = 0
    private var firstError: (any Error)?

    /// Takes the delegates of the peripheral and of its manager until ``release()``.
    init(_ peripheral: CBPeripheral, manager: CBCentralManager) {
        self.peripheral = peripheral
        self.manager = manager
        super.init()
        peripheral.delegate = self
        manager.delegate = self
    }

    /// Gives the delegates back.
    func release() {
        if peripheral.delegate === self { peripheral.delegate = nil }
        if manager.delegate === self { manager.delegate = nil }
    }

    /// Discovers all services, characteristics and descriptors.
    func discoverEverything() async throws {
        try await wait(for: 1) { peripheral.discoverServices(nil) }
        let services = peripheral.services ?? []
        try await wait(for: services.count) {
            for service in services { peripheral.discoverCharacteristics(nil, for: service) }
        }
        let characteristics = services.flatMap { $0.characteristics ?? [] }
        try await wait(for: characteristics.count) {
            for characteristic in characteristics { peripheral.discoverDescriptors(for: characteristic) }
        }
    }

    /// The characteristic that a path names, of those that were discovered.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func characteristic(_ path: AttributePath) throws -> CBCharacteristic {
        var found: [CBCharacteristic] = []
        for service in peripheral.services ?? [] {
            if let part = path.service, !part.matches(uuid: service.uuid.uuidString, name: service.uuid.name) {
                continue
            }
            found += (service.characteristics ?? []).filter {
                path.characteristic.matches(uuid: $0.uuid.uuidString, name: $0.uuid.name)
            }
        }
        if let only = found.first, found.count == 1 { return only }
        let candidates = found.compactMap(\.path).joined(separator: ", ")
        throw Failure(
            .noSuchCharacteristic,
            found.isEmpty
                ? "the device has no characteristic \(path.text)"
                : "the device has several characteristics \(path.text): \(candidates)")
    }

    /// Waits until there is room for a write without response.
    func waitForRoom() async throws {
        guard !peripheral.canSendWriteWithoutResponse else { return }
        try await wait(for: 1) {}
    }

    // MARK: Waiting

    private func wait(for count: Int, _ request: () -> Void) async throws {
        guard count > 0 else { return }
        guard peripheral.state == .connected else { throw CBError(.notConnected) }
        firstError = nil
        outstanding = count
        try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            request()
        }
    }

    private func answered(_ error: (any Error)?) {
        if firstError == nil { firstError = error }
        outstanding -= 1
        if outstanding <= 0 { resume(firstError) }
    }

    private func resume(_ error: (any Error)?) {
        let waiting = waiting
        self.waiting = nil
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }

    // MARK: Delegates

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        answered(error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        answered(error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answered(error)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        answered(nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state != .poweredOn { resume(BluejayError.bluetoothUnavailable) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        resume(CBError(.peripheralDisconnected))
    }
}

extension CBUUID {
    /// The assigned name, or this package's own; nil if there is none.
    var name: String? {
        if let own = AssignedNumbers.ownName(ofUUID: uuidString) { return own }
        return description == uuidString ? nil : description
    }
}

extension CBCharacteristic {
    /// As the user can name it without ambiguity.
    var path: String? { service.map { "\($0.uuid.uuidString)/\(uuid.uuidString)" } }

    /// The characteristic in words, if it has a name.
    var label: String { uuid.name.map(AssignedNumbers.typedName) ?? uuid.uuidString }
}
