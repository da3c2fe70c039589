import Synchronization

/// The peripherals that a central manager has vended: one object for each identifier, for as long as anybody holds it.
final class PeripheralRegistry: Swift.Sendable {
    private struct Entry: Swift.Sendable {
        weak var peripheral: CBPeripheral?
    }

    private let entries = Mutex<[UUID: Entry]>([:])

    /// The object for `identifier`, made again when nobody holds one.
    func peripheral(_ identifier: UUID, of manager: CBCentralManager?) -> CBPeripheral {
        entries.withLock { entries in
            if let known = entries[identifier]?.peripheral { return known }
            if entries.count > 64 { entries = entries.filter { $0.value.peripheral != nil } }
            let peripheral = CBPeripheral(identifier: identifier, manager: manager)
            entries[identifier] = Entry(peripheral: peripheral)
            return peripheral
        }
    }
}
