import CoreBluetooth
public import UIKitStandIns

/// Why the program was started; nil or empty for a fresh start.
///
/// The type of the keys is `UIApplication.LaunchOptionsKey` of the module `UIKitStandIns`, as code written for iOS
/// spells it.
public typealias LaunchOptions = [UIApplication.LaunchOptionsKey: Any]?

extension Bluejay {
    /// Why this program was started. On Linux this replaces what iOS passes to
    /// `application(_:didFinishLaunchingWithOptions:)`. Nil unless the restoration agent has started the program.
    public static var launchOptions: LaunchOptions {
        launchOptions(in: ProcessInfo.processInfo.environment)
    }

    static func launchOptions(in environment: [String: String]) -> LaunchOptions {
        LaunchEnvironment.options(in: environment).map { options in
            var result: [UIApplication.LaunchOptionsKey: Any] = [:]
            result[.bluetoothCentrals] = options[LaunchEnvironment.centralsKey]
            result[.bluetoothPeripherals] = options[LaunchEnvironment.peripheralsKey]
            return result
        }
    }
}
