extension Bluejay {
    /// Builds a packet from the bytes of several values, in their order.
    ///
    ///     Bluejay.combine(sendables: [UInt8(1), temperature.bigEndian, DataPadding(2)])
    public static func combine(sendables: [Sendable]) -> Data {
        var packet = Data()
        for sendable in sendables {
            packet.append(sendable.toBluetoothData())
        }
        return packet
    }
}
