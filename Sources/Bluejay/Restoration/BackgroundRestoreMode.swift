import UIKitStandIns

/// Names the state that a program leaves behind for its next run.
public typealias RestoreIdentifier = String

/// Whether the Bluetooth state of an earlier run of the program is taken up.
public enum BackgroundRestoreMode {
    /// It is not.
    case disable
    /// It is.
    case enable(BackgroundRestoreConfig)
}

/// How the state of an earlier run is taken up.
public struct BackgroundRestoreConfig {
    /// The same in every run.
    public let restoreIdentifier: RestoreIdentifier
    /// Is told what became of the connection. Bluejay does not keep it alive.
    public let backgroundRestorer: BackgroundRestorer
    /// Is asked about values without a listener. Bluejay does not keep it alive.
    public let listenRestorer: ListenRestorer
    /// Why the program was started.
    public let launchOptions: LaunchOptions

    /// - Parameters:
    ///   - restoreIdentifier: names the state; the same in every run.
    ///   - backgroundRestorer: is told what became of the connection; not kept alive by Bluejay.
    ///   - listenRestorer: is asked about values without a listener; not kept alive by Bluejay.
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

    /// Whether the program was started to take up the state that the identifier names.
    public var isRestoringFromBackground: Bool {
        centralKeys?.contains(restoreIdentifier) ?? false
    }
}
