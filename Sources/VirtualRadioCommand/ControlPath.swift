import Glibc
import Posix

/// Where the control socket is: `$XDG_RUNTIME_DIR`, `/run/user/UID`, or a folder of this user in /tmp.
enum ControlPath {
    static let variable = "VIRTUAL_RADIO_SOCKET"
    private static let folder = RuntimeFolder(program: "virtual-radio")

    static var usual: String {
        if let path = Environment.value(variable), !path.isEmpty { return path }
        return folder.path + "/virtual-radio.sock"
    }

    /// Creates the folder in /tmp, if the path is in it.
    static func prepare(_ path: String) throws(SystemError) {
        if path.hasPrefix(folder.path + "/") { try folder.prepare() }
    }

    /// A file's path from the root on, as the radio may run in another folder.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
