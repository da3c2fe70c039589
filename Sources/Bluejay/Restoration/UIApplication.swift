import RestorationAgent

/// What iOS's application delegates conform to; empty, so that restorers written for iOS compile.
public protocol UIApplicationDelegate: AnyObject {}

/// The part of iOS's `UIApplication` that Bluejay's API mentions.
public enum UIApplication {
    /// Why this program was started: a Linux addition that takes the place of what iOS passes to
    /// `application(_:didFinishLaunchingWithOptions:)`. Nil unless the restoration agent has started it.
    public static var launchOptions: LaunchOptions {
        LaunchEnvironment.centrals(in: ProcessInfo.processInfo.environment).map { [.bluetoothCentrals: $0] }
    }

    /// Why a program was started.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Swift.Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The restore identifiers for which an earlier run of the program left Bluetooth state (`[String]`).
        public static let bluetoothCentrals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
    }
}
