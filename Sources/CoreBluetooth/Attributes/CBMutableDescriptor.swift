/// A descriptor of our own, a part of a ``CBMutableCharacteristic``.
open class CBMutableDescriptor: CBDescriptor, @unchecked Swift.Sendable {
    /// - Parameters:
    ///   - uuid: what kind of descriptor it is. Apple allows the user description (2901) and the presentation format
    ///     (2904) only; Linux allows all but the client configuration (2902) and the extended properties (2900), which
    ///     the system adds.
    ///   - value: a `String` for the user description, `Data` for others. It cannot be changed once published.
    public init(type uuid: CBUUID, value: Any?) {
        super.init(uuid: uuid, value: value)
    }
}
