/// A characteristic of our own, a part of a ``CBMutableService``.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Swift.Sendable {
    /// What centrals may do with the value, and on what kind of link.
    open var permissions: CBAttributePermissions {
        get { stored.withLock { $0.permissions } }
        set { stored.withLock { $0.permissions = newValue } }
    }

    /// The centrals that have turned notifications or indications on.
    open internal(set) var subscribedCentrals: [CBCentral]? {
        get { stored.withLock { $0.subscribedCentrals } }
        set { stored.store(newValue) { swap(&$0.subscribedCentrals, &$1) } }
    }

    private struct Stored {
        var permissions: CBAttributePermissions
        var subscribedCentrals: [CBCentral]? = []
    }

    private let stored: Locked<Stored>

    /// - Parameters:
    ///   - uuid: what kind of characteristic it is.
    ///   - properties: what the characteristic supports, as centrals see it.
    ///   - value: if there is one, it is static: the system answers reads by itself, and the characteristic has to be
    ///     read-only. If nil, every read and write is passed on to the manager's delegate.
    ///   - permissions: what centrals may do with it.
    public init(
        type uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        stored = Locked(Stored(permissions: permissions))
        super.init(uuid: uuid, properties: properties, value: value)
    }

    /// What the characteristic supports, as centrals see it.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }

    /// The static value, or nil if the delegate answers reads.
    open override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }

    /// Descriptors of our own. The system adds those for client configuration and extended properties.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            for old in super.descriptors ?? [] where old.characteristic === self { old.characteristic = nil }
            super.descriptors = newValue
            for new in newValue ?? [] { new.characteristic = self }
        }
    }
}
