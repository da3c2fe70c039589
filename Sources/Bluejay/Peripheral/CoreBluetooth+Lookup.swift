extension CBPeripheral {
    /// The first discovered service with a UUID; nil if there is none.
    public func service(with uuid: CBUUID) -> CBService? {
        services?.first { $0.uuid == uuid }
    }
}

extension CBService {
    /// The first discovered characteristic with a UUID; nil if there is none.
    public func characteristic(with uuid: CBUUID) -> CBCharacteristic? {
        characteristics?.first { $0.uuid == uuid }
    }
}

extension CBManagerState {
    /// The state in words, for logs.
    public func string() -> String {
        switch self {
        case .unknown: "Unknown"
        case .resetting: "Resetting"
        case .unsupported: "Unsupported"
        case .unauthorized: "Unauthorized"
        case .poweredOff: "Powered Off"
        case .poweredOn: "Powered On"
        @unknown default: "Unknown"
        }
    }
}

extension CBPeripheralState {
    /// The state in words, for logs.
    public func string() -> String {
        switch self {
        case .disconnected: "Disconnected"
        case .connecting: "Connecting"
        case .connected: "Connected"
        case .disconnecting: "Disconnecting"
        @unknown default: "Unknown"
        }
    }
}
