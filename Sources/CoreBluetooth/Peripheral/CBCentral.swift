/// A remote central that uses our services. Its object stays the same while it is connected.
open class CBCentral: CBPeer, @unchecked Swift.Sendable {
    /// How many bytes one notification or indication can carry.
    open internal(set) var maximumUpdateValueLength: Int

    init(identifier: UUID, maximumUpdateValueLength: Int = ATT.minimumMTU - ATT.valueHeaderLength) {
        self.maximumUpdateValueLength = maximumUpdateValueLength
        super.init(identifier: identifier)
    }

    open override var description: String {
        "<\(type(of: self)): identifier = \(identifier), maximumUpdateValueLength = \(maximumUpdateValueLength)>"
    }
}
