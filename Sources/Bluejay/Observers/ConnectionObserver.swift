/// Receives changes of Bluetooth and of the connection. All methods are optional and are called on the main queue.
public protocol ConnectionObserver: AnyObject {
    /// Bluetooth has become available or unavailable. Also called at once when an observer is registered after the
    /// start.
    func bluetoothAvailable(_ available: Bool)

    /// A peripheral is connected. Called after the completion of the connection request. Also called when an observer
    /// is registered while a peripheral is connected.
    func connected(to peripheral: PeripheralIdentifier)

    /// The peripheral has disconnected, or the attempt to connect has failed. Not called when Bluetooth was switched
    /// off.
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
