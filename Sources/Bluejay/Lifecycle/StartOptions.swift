/// How Bluejay creates its central manager.
public struct StartOptions {
    /// No alert, no restoration.
    public static var `default`: StartOptions {
        StartOptions(enableBluetoothAlert: false, backgroundRestore: .disable)
    }

    let enableBluetoothAlert: Bool
    let backgroundRestore: BackgroundRestoreMode

    /// - Parameters:
    ///   - enableBluetoothAlert: on iOS, whether to show an alert when Bluetooth is off. On Linux there is at most a
    ///     line on standard error.
    ///   - backgroundRestore: whether to restore the state of an earlier run of the program.
    public init(enableBluetoothAlert: Bool, backgroundRestore: BackgroundRestoreMode) {
        self.enableBluetoothAlert = enableBluetoothAlert
        self.backgroundRestore = backgroundRestore
    }
}

/// Which central manager Bluejay uses.
public enum StartMode {
    /// Bluejay creates one.
    case new(StartOptions)
    /// Bluejay takes over a manager of the program, and a peripheral that is connected through it. The manager must
    /// have been created with the main queue. Bluejay becomes the delegate of both.
    case use(manager: CBCentralManager, peripheral: CBPeripheral?)
}

extension StartOptions {
    /// No alert, no restoration. The name of Bluejay 0.7.
    @available(*, deprecated, renamed: "default")
    public static var bluejayDefault: StartOptions { .default }
}
