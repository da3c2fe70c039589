extension String: Sendable, Receivable {
    /// The text in UTF-8.
    public func toBluetoothData() -> Data {
        Data(utf8)
    }

    /// Creates the text from UTF-8. Bytes that are not UTF-8 become the replacement character U+FFFD, because
    /// received bytes must not end the program.
    public init(bluetoothData: Data) {
        self = String(decoding: bluetoothData, as: UTF8.self)
    }
}
