import CoreBluetooth

extension CBManagerState {
    /// As in Apple's API. Not by interpolation: an app may have given the type a description of its own.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        }
    }

    /// What the state means for the user of a peripheral.
    var explanation: String {
        switch self {
        case .poweredOn: "Bluetooth is on"
        case .poweredOff: "Bluetooth is off; waiting for it to be switched on"
        case .resetting: "bluetoothd is not running; waiting for it to come back"
        case .unknown: "the state of Bluetooth is unknown; waiting"
        case .unsupported: "the Bluetooth adapter was removed; waiting for it to come back"
        case .unauthorized: "the system bus refuses access to Bluetooth; waiting"
        }
    }
}
