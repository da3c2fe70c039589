import Glibc

/// Variables of a process.
package enum Environment {
    /// A variable of `variables`, or of this process if there are none.
    package static func value(_ name: String, in variables: [String: String]? = nil) -> String? {
        if let variables { return variables[name] }
        return getenv(name).map { String(cString: $0) }
    }

    /// The user's home, as the system has it.
    static var home: String {
        guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }
}
