package import DBus

/// What happens in bluetoothd's object tree.
package enum BlueZEvent {
    case stateChanged(BlueZSession.State)
    case adapterAdded(Adapter)
    case adapterChanged(Adapter, PropertyChanges<Adapter1>)
    case adapterRemoved(Adapter)
    /// This or another program has begun to advertise here, or has ceased to.
    case advertisingChanged(Adapter)
    case deviceAdded(Device)
    case deviceChanged(Device, PropertyChanges<Device1>)
    case deviceRemoved(Device)
    case serviceAdded(RemoteService)
    case serviceRemoved(RemoteService)
    /// A service that was known before has another characteristic, or one of its characteristics another descriptor.
    case attributeAdded(RemoteService)
    /// A device pairs, and this process's agent was asked.
    case pairing(Device, PairingStep)
}
