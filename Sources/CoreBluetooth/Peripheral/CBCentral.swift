/// A remote central that uses our services. Its object stays the same while it is connected.
open class CBCentral: CBPeer, @unchecked Swift.Sendable {
    /// How many bytes one notification or indication can carry: what fits into a packet, and never more than a value
    /// has.
    open var maximumUpdateValueLength: Int { min(attMTU - ATT.valueHeaderLength, ATT.maximumValueLength) }

    /// Linux: the size of a packet, in bytes, that was agreed on with the central.
    public internal(set) var attMTU: Int {
        get { lockedMTU.withLock { $0 } }
        set { lockedMTU.withLock { $0 = newValue } }
    }

    private let lockedMTU: Locked<Int>

    init(identifier: UUID, attMTU: Int = ATT.minimumMTU) {
        lockedMTU = Locked(attMTU)
        super.init(identifier: identifier)
    }

    open override var description: String {
        "<\(type(of: self)): identifier = \(identifier), maximumUpdateValueLength = \(maximumUpdateValueLength)>"
    }
}
