import Foundation

/// The environment that a program is started again with.
package enum LaunchEnvironment {
    /// The variable with the launch options: a JSON object from keys to lists of texts.
    package static let variable = "BLUEJAY_LAUNCH_OPTIONS"
    /// The key of the restore identifiers, as on iOS.
    package static let centralsKey = "UIApplicationLaunchOptionsBluetoothCentralsKey"

    /// The key of the restore identifiers of peripheral managers, as on iOS.
    package static let peripheralsKey = "UIApplicationLaunchOptionsBluetoothPeripheralsKey"

    /// The launch options for the restore identifiers.
    package static func options(centrals: [String] = [], peripherals: [String] = []) -> String {
        let options = [centralsKey: centrals, peripheralsKey: peripherals].filter { !$0.value.isEmpty }
        let data = (try? JSONEncoder().encode(options)) ?? Data("{}".utf8)
        return String(decoding: data, as: UTF8.self)
    }

    /// The restore identifiers in an environment, by their keys; nil when there are no launch options, or none that can
    /// be read.
    package static func options(in environment: [String: String]) -> [String: [String]]? {
        guard let text = environment[variable] else { return nil }
        return MessageCoder.decode([String: [String]].self, from: Data(text.utf8))
    }

    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "TMPDIR", "LD_LIBRARY_PATH",
        "DISPLAY",
        "WAYLAND_DISPLAY", "XAUTHORITY", "CFFIXED_USER_HOME",
    ]
    private static let prefixes = ["LC_", "XDG_", "DBUS_", "BLUETOOTH_", "BLUEJAY_", "LAB_"]

    /// What of an environment is kept: it goes to disk, where passwords and tokens do not belong.
    package static func kept(of environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in
            name != variable && (names.contains(name) || prefixes.contains { name.hasPrefix($0) })
        }
    }
}
