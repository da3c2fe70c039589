/// A run of zero bytes, for the reserved fields of a packet.
public struct DataPadding: Sendable, Swift.Sendable {
    private let amount: Int

    /// - Parameter amount: the number of bytes; a negative number counts as zero.
    public init(_ amount: Int) {
        self.amount = max(0, amount)
    }

    /// The zero bytes.
    public func toBluetoothData() -> Data {
        Data(count: amount)
    }
}
