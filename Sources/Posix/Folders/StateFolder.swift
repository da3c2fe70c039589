import Glibc

/// The user's folder for what this package's programs remember from one run to the next.
package enum StateFolder {
    /// `bluejay` in `XDG_STATE_HOME`, or in `~/.local/state` where that is not set (XDG Base Directory Specification).
    /// It may have to be made.
    ///
    /// - Parameter environment: nil: that of this process.
    package static func path(environment: [String: String]? = nil) -> String {
        // The specification has relative paths ignored.
        if let folder = Environment.value("XDG_STATE_HOME", in: environment), folder.hasPrefix("/") {
            return folder + "/bluejay"
        }
        return (Environment.value("HOME", in: environment) ?? Environment.home) + "/.local/state/bluejay"
    }

    /// Makes a folder for this user only, and those that it is in; what is there stays as it is.
    package static func make(_ path: String) throws(SystemError) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            folder += (folder.isEmpty || folder == "/" ? "" : "/") + name
            guard mkdir(folder, 0o700) != 0 else { continue }
            let error = errno
            var info = stat()
            guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
                let attempt = "cannot create the folder \(folder)"
                throw error == EEXIST
                    ? SystemError(text: "\(attempt): a file of that name already exists")
                    : SystemError(attempt, code: error)
            }
        }
    }
}
