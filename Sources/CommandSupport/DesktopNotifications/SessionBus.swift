import Foundation

/// The bus of the user's session.
package enum SessionBus {
    /// `DBUS_SESSION_BUS_ADDRESS`, or the socket `bus` in `XDG_RUNTIME_DIR`; nil where there is neither.
    package static func address(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        let socket = folder + "/bus"
        var info = stat()
        guard stat(socket, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return "unix:path=" + escaped(socket)
    }

    /// A value as addresses have it. Specification: D-Bus, "Server Addresses".
    private static func escaped(_ value: String) -> String {
        let plain = Set("-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/.\\*".utf8)
        return value.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : String(format: "%%%02x", byte)
        }.joined()
    }
}
