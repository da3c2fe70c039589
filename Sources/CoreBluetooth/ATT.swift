/// Sizes that the Attribute Protocol fixes. Specification: Bluetooth Core, Vol 3, Part F, 3.2.8, 3.2.9; Part G, 5.2.1.
enum ATT {
    /// The largest value of an attribute, in bytes.
    static let maximumValueLength = 512
    /// The packet size of every LE connection before a larger one is agreed on, in bytes.
    static let minimumMTU = 23
    /// What a packet needs beside the value it writes or notifies, in bytes: opcode and handle.
    static let valueHeaderLength = 3
    /// The longest value that surely arrives in a write without response, in bytes, however large the packets are.
    ///
    /// A bluetoothd on the other end silently drops longer ones (5.66, `check_length` in src/shared/gatt-server.c,
    /// counts the handle's two bytes as part of the value; 5.82 and 5.87 take 512), and a central cannot see which
    /// stack it talks to. A write with response is refused there with an error, so it may have ``maximumValueLength``.
    static let maximumCommandValueLength = maximumValueLength - 2
    /// "Invalid Handle": the peer has no such attribute.
    static let invalidHandle: UInt8 = 0x01
    /// The error of what needs a paired link, as bluetoothd reports it whichever it was.
    static let insufficientAuthentication: UInt8 = 0x05
    /// "Unlikely Error": a peer has it for what has no other code, and bluetoothd for requests that came to nothing.
    static let unlikelyError: UInt8 = 0x0E
    /// "Database Out Of Sync": a peer whose services have changed has it for a client that does not know that yet
    /// (Core Specification, Vol 3, Part G, 2.5.2.1), and has not carried the request out.
    static let databaseOutOfSync: UInt8 = 0x12
}
