import Foundation

/// The user's folder for what this package's programs remember from one run to the next.
package enum StateFolder {
    /// `bluejay` in `XDG_STATE_HOME`, or in `~/.local/state` where that is not set (XDG Base Directory Specification). It
    /// may have to be made.
    package static func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        // The specification has relative paths ignored.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/bluejay" }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/bluejay"
    }
}
