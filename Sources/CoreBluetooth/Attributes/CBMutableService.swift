/// A service of our own, to be published by ``CBPeripheralManager/add(_:)``.
///
/// Once published the service is frozen: changes have no effect on what centrals see until it is removed and added
/// again.
open class CBMutableService: CBService, @unchecked Swift.Sendable {
    /// - Parameters:
    ///   - uuid: what kind of service it is.
    ///   - isPrimary: whether it is used by itself, rather than only included in others.
    public init(type uuid: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: uuid, isPrimary: isPrimary, peripheral: nil)
    }

    /// The services that this one refers to. They have to be published before.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { super.includedServices = newValue }
    }

    /// The characteristics of the service. Their ``CBCharacteristic/service`` becomes this one.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            for old in super.characteristics ?? [] where old.service === self { old.service = nil }
            super.characteristics = newValue
            for new in newValue ?? [] { new.service = self }
        }
    }
}
