import DBus

/// What bluetoothd asks while a device pairs (BlueZ: `org.bluez.Agent`, `doc/agent-api.txt`).
enum Agent1: BusInterface {
    static let name = "org.bluez.Agent1"

    // MARK: Methods

    static let authorizeService = Method("AuthorizeService")
    static let cancel = Method("Cancel")
    static let displayPasskey = Method("DisplayPasskey")
    static let displayPinCode = Method("DisplayPinCode")
    static let release = Method("Release")
    static let requestAuthorization = Method("RequestAuthorization")
    static let requestConfirmation = Method("RequestConfirmation")
    static let requestPasskey = Method("RequestPasskey")
    static let requestPinCode = Method("RequestPinCode")
}
