/// A group of characteristics that make up one function of a device, a remote one's or our own.
open class CBService: CBAttribute, @unchecked Swift.Sendable {
    /// The device that has the service; nil for a local one.
    open internal(set) var peripheral: CBPeripheral? {
        get { stored.withLock { $0.peripheral } }
        set { stored.withLock { $0.peripheral = newValue } }
    }

    /// Whether the service is used by itself (primary) or only included in others (secondary).
    open internal(set) var isPrimary: Bool {
        get { stored.withLock { $0.isPrimary } }
        set { stored.withLock { $0.isPrimary = newValue } }
    }

    /// The services that this one refers to; nil until discovered.
    open internal(set) var includedServices: [CBService]? {
        get { stored.withLock { $0.includedServices } }
        set { stored.store(newValue) { swap(&$0.includedServices, &$1) } }
    }

    /// The characteristics discovered so far; nil before. Every remote characteristic keeps its object for the time of
    /// a connection.
    open internal(set) var characteristics: [CBCharacteristic]? {
        get { stored.withLock { $0.characteristics } }
        set { stored.store(newValue) { swap(&$0.characteristics, &$1) } }
    }

    private struct Stored {
        weak var peripheral: CBPeripheral?
        var isPrimary: Bool
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    private let stored: Locked<Stored>

    init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral?) {
        stored = Locked(Stored(peripheral: peripheral, isPrimary: isPrimary))
        super.init(uuid: uuid)
    }

    open override var description: String {
        "<\(type(of: self)): UUID = \(uuid), isPrimary = \(isPrimary)>"
    }
}

extension [CBService] {
    /// These, and those that they include, as far as they were discovered; each once.
    var withIncluded: [CBService] {
        var all = self
        var known = Set(map(ObjectIdentifier.init))
        var next = 0
        while next < all.count {
            all += (all[next].includedServices ?? []).filter { known.insert(ObjectIdentifier($0)).inserted }
            next += 1
        }
        return all
    }
}
