/// Sizes that the Attribute Protocol fixes. Specification: Bluetooth Core, Vol 3, Part F, 3.2.8, 3.2.9; Part G, 5.2.1.
enum ATT {
    /// The largest value of an attribute, in bytes.
    static let maximumValueLength = 512
    /// The packet size of every LE connection before a larger one is agreed on, in bytes.
    static let minimumMTU = 23
    /// What a packet needs beside the value it writes or notifies, in bytes: opcode and handle.
    static let valueHeaderLength = 3
    /// The error of what needs a paired link, as bluetoothd reports it whichever it was.
    static let insufficientAuthentication: UInt8 = 0x05
}
