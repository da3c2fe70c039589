import UIKitStandIns

/// Identifies the state that a program leaves for its next run.
public typealias RestoreIdentifier = String

/// Whether to restore the Bluetooth state of an earlier run of the program.
public enum BackgroundRestoreMode {
    /// Do not restore.
    case disable
    /// Restore as configured.
    case enable(BackgroundRestoreConfig)
}

/// How to restore the state of an earlier run.
public struct BackgroundRestoreConfig {
    /// The same in every run.
    public let restoreIdentifier: RestoreIdentifier
    /// Receives the result for the connection. Held weakly by Bluejay.
    public let backgroundRestorer: BackgroundRestorer
    /// Receives values that have no listener. Held weakly by Bluejay.
    public let listenRestorer: ListenRestorer
    /// Why the program was started.
    public let launchOptions: LaunchOptions

    /// - Parameters:
    ///   - restoreIdentifier: identifies the state; the same in every run.
    ///   - backgroundRestorer: receives the result for the connection; held weakly by Bluejay.
    ///   - listenRestorer: receives values that have no listener; held weakly by Bluejay.
    ///   - launchOptions: why the program was started.
    public init(
        restoreIdentifier: RestoreIdentifier,
        backgroundRestorer: BackgroundRestorer,
        listenRestorer: ListenRestorer,
        launchOptions: LaunchOptions
    ) {
        self.restoreIdentifier = restoreIdentifier
        self.backgroundRestorer = backgroundRestorer
        self.listenRestorer = listenRestorer
        self.launchOptions = launchOptions
    }

    /// The restore identifiers in the launch options.
    public var centralKeys: [String]? {
        launchOptions?[.bluetoothCentrals] as? [String]
    }

    /// Whether the program was started to restore the state with this identifier.
    public var isRestoringFromBackground: Bool {
        centralKeys?.contains(restoreIdentifier) ?? false
    }
}
