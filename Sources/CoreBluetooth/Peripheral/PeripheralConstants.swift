// Keys of the dictionaries that a peripheral manager takes and delivers. The texts are Apple's.

/// Manager option, `Bool`: whether to warn the user when Bluetooth is switched off. On Linux a warning is at most
/// logged.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Manager option, `String`: opts in to state restoration; the same at every launch, and each manager has its own.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Manager option, `[String]`, a Linux addition to state restoration: the command and its arguments that start the
/// program again. Default: the program's file with the arguments that it has been started with.
public let CBPeripheralManagerOptionRestoreCommandKey = "CBLinuxPeripheralManagerOptionRestoreCommand"
/// Manager option, `String`, a Linux addition: which controller to use, by its name (`"hci0"`) or its address
/// (`"00:AA:01:00:00:00"`). Default: the environment variable `BLUETOOTH_ADAPTER`, which takes the same values, else
/// the first controller that is powered.
public let CBPeripheralManagerOptionAdapterKey = "CBLinuxPeripheralManagerOptionAdapter"

/// Restored state, `[CBMutableService]`: the services that were published when the program ended. They still are, and
/// ``CBMutableCharacteristic/subscribedCentrals`` says who is subscribed.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// Restored state, `[String: Any]`: what was advertised when the program ended. It still is.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

/// How quickly a connection should react, at the cost of the central's battery.
public enum CBPeripheralManagerConnectionLatency: Int, Swift.Sendable {
    /// Quickly.
    case low = 0
    /// Neither quickly nor sparingly.
    case medium = 1
    /// Sparingly.
    case high = 2
}
