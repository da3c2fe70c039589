/// A group of characteristics that make up one function of a device, a remote one's or our own.
open class CBService: CBAttribute, @unchecked Swift.Sendable {
    /// The device that has the service; nil for a local one.
    open internal(set) weak var peripheral: CBPeripheral?

    /// Whether the service stands for itself (primary) or is only there to be included in others (secondary).
    open internal(set) var isPrimary: Bool

    /// The services that this one refers to; nil until discovered.
    open internal(set) var includedServices: [CBService]?

    /// The characteristics discovered so far; nil before. Every remote characteristic keeps its object for the time of a
    /// connection.
    open internal(set) var characteristics: [CBCharacteristic]?

    init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral?) {
        self.isPrimary = isPrimary
        self.peripheral = peripheral
        super.init(uuid: uuid)
    }

    open override var description: String {
        "<\(type(of: self)): UUID = \(uuid), isPrimary = \(isPrimary)>"
    }
}
