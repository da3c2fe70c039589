/// How Bluejay creates its central manager.
public struct StartOptions {
    /// No alert, no restoration.
    public static var `default`: StartOptions {
        StartOptions(enableBluetoothAlert: false, backgroundRestore: .disable)
    }

    let enableBluetoothAlert: Bool
    let backgroundRestore: BackgroundRestoreMode

    /// - Parameters:
    ///   - enableBluetoothAlert: on iOS, show an alert when Bluetooth is off; on Linux at most a line on standard error.
    ///   - backgroundRestore: whether the state of an earlier run of the program is taken up.
    public init(enableBluetoothAlert: Bool, backgroundRestore: BackgroundRestoreMode) {
        self.enableBluetoothAlert = enableBluetoothAlert
        self.backgroundRestore = backgroundRestore
    }
}

/// Where Bluejay gets its central manager from.
public enum StartMode {
    /// It creates one.
    case new(StartOptions)
    /// It takes over one that the program has, which must have been created for the main queue, and a peripheral that is
    /// connected through it. Both delegates become Bluejay's.
    case use(manager: CBCentralManager, peripheral: CBPeripheral?)
}

extension StartOptions {
    /// No alert, no restoration. The name of Bluejay 0.7.
    @available(*, deprecated, renamed: "default")
    public static var bluejayDefault: StartOptions { .default }
}
