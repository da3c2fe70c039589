/// Is told about Bluetooth and the connection. All methods are optional and are called on the main queue.
public protocol ConnectionObserver: AnyObject {
    /// Bluetooth can be used, or no longer. Also called when the observer is registered after the start.
    func bluetoothAvailable(_ available: Bool)

    /// A peripheral is connected. Comes after the completion of the connection request. Also called when the observer is
    /// registered while a peripheral is connected.
    func connected(to peripheral: PeripheralIdentifier)

    /// The peripheral is no longer connected, or the attempt to connect failed. Not called when Bluetooth went off.
    func disconnected(from peripheral: PeripheralIdentifier)
}

extension ConnectionObserver {
    /// Does nothing.
    public func bluetoothAvailable(_ available: Bool) {}
    /// Does nothing.
    public func connected(to peripheral: PeripheralIdentifier) {}
    /// Does nothing.
    public func disconnected(from peripheral: PeripheralIdentifier) {}
}
