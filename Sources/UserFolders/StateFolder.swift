import Foundation

/// The user's folder for what this package's programs remember from one run to the next.
package enum StateFolder {
    /// `bluejay` in `XDG_STATE_HOME`, or in `~/.local/state` where that is not set (XDG Base Directory Specification).
    /// It may have to be made.
    package static func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        // The specification has relative paths ignored.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/bluejay" }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/bluejay"
    }

    /// A folder cannot be made.
    package struct Failure: Error, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// Makes a folder for this user only, and those that it is in; what is there stays as it is.
    package static func make(_ path: String) throws(Failure) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            folder += (folder.isEmpty || folder == "/" ? "" : "/") + name
            guard mkdir(folder, 0o700) != 0 else { continue }
            let error = errno
            var info = stat()
            guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
                let reason = error == EEXIST ? "a file of that name already exists" : String(cString: strerror(error))
                throw Failure(description: "cannot create the folder \(folder): \(reason)")
            }
        }
    }
}
