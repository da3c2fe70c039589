// Keys of the dictionaries that a central manager takes and delivers. The texts are Apple's: some programs write them
// out instead of using the constants.

/// Manager option, `Bool`: whether to warn the user when Bluetooth is switched off. On Linux a warning is at most
/// logged.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Manager option, `String`: opts in to state restoration; the same at every launch, and each manager has its own.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Manager option, `[String]`, a Linux addition to state restoration: the command and its arguments that start the
/// program again. Default: the program's file with the arguments that it has been started with.
public let CBCentralManagerOptionRestoreCommandKey = "CBLinuxCentralManagerOptionRestoreCommand"
/// Manager option, `Bool`. Without effect on Linux.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"
/// Manager option, `String`, a Linux addition: which controller to use, by its name (`"hci1"`) or its address
/// (`"00:AA:01:01:00:01"`). Default: the environment variable `BLUETOOTH_ADAPTER`, which takes the same values, else
/// the first controller that is powered.
public let CBCentralManagerOptionAdapterKey = "CBLinuxCentralManagerOptionAdapter"

/// Manager option, `Bool`, a Linux addition: ``CBConnectPeripheralOptionUseNotifySocketsKey`` for all connections of
/// the manager whose own options do not say otherwise; for programs whose connections a library makes, such as Bluejay.
public let CBCentralManagerOptionUseNotifySocketsKey = "CBLinuxCentralManagerOptionUseNotifySockets"

/// Scan option, `Bool`, default false: whether to report every advertisement, not every peripheral once.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Scan option, `[CBUUID]`: also report peripherals that solicit one of these services.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// Connect option, `Bool`: alert the user of a connection while the app is suspended. Without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Connect option, `Bool`: alert the user of a disconnection while the app is suspended. Without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Connect option, `Bool`: alert the user of a notification while the app is suspended. Without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Connect option, `NSNumber`: seconds to wait before the attempt starts.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Connect option, `Bool`: also connect the classic profiles. Without effect on Linux.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Connect option, `Bool`: connect only with access to the Apple Notification Center Service. Without effect on Linux.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// Connect option, `Bool`: connect again by itself after the link was lost, until the connection is cancelled.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Connect option, `Bool`, default false, a Linux addition for high rates: notifications come by a socket
/// (`AcquireNotify`) instead of by D-Bus signals.
///
/// It takes several times less CPU, at a price: while it lasts no other program can get notifications of the same
/// characteristic, values that the peripheral sends before it has answered the subscription may be lost, and bluetoothd
/// drops without a word what a socket has no room for: 278 values of up to 180 bytes, 167 of 500.
///
/// A thread that does nothing else empties the sockets, whatever the program and its queues do. So values are lost only
/// when the whole machine keeps that thread waiting for longer than a socket takes to fill, 110 ms at 2,500 values a
/// second. What was lost, or may have been, is in ``CBCharacteristic/notificationLoss``.
public let CBConnectPeripheralOptionUseNotifySocketsKey = "CBLinuxConnectOptionUseNotifySockets"

/// Restored state, `[CBPeripheral]`: those that were connected or connecting when the program ended.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// Restored state, `[CBUUID]`: the services that were scanned for when the program ended.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// Restored state, `[String: Any]`: the options of the scan that was running when the program ended.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"
