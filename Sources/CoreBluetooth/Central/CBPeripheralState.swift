/// The state of a peripheral's connection to its central manager.
public enum CBPeripheralState: Int, Swift.Sendable {
    /// Not connected.
    case disconnected = 0
    /// A connection was asked for.
    case connecting = 1
    /// Connected.
    case connected = 2
    /// The end of the connection was asked for.
    case disconnecting = 3
}

/// How a value is written.
public enum CBCharacteristicWriteType: Int, Swift.Sendable {
    /// The peripheral answers; ends in `peripheral(_:didWriteValueFor:error:)`.
    case withResponse = 0
    /// The peripheral does not answer, and nothing is reported.
    case withoutResponse = 1
}
