// The names of UIKit that Bluejay's API mentions, for programs that bring an iOS app's code to Linux. In a module of
// their own: a program that has stand-ins for UIKit itself, or uses another package's, need not see these.

/// The protocol of application delegates on iOS; empty, so that restorers written for iOS compile.
public protocol UIApplicationDelegate: AnyObject {}

/// The part of iOS's `UIApplication` that Bluejay's API mentions.
public enum UIApplication {
    /// Why a program was started.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The restore identifiers for which an earlier run of the program left Bluetooth state (`[String]`).
        public static let bluetoothCentrals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
        /// The restore identifiers of peripheral managers for which an earlier run of the program left services
        /// (`[String]`).
        public static let bluetoothPeripherals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
    }
}
