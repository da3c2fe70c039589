import Foundation
import Posix

/// A controller's former name, in a file. bluetoothd keeps names forever: a run that was killed could not restore the
/// name, but the next one can.
struct AliasRecord {
    /// The name that the run gave.
    var given: String
    /// The name to be restored; empty for the system's.
    var former: String

    /// - Parameter address: the controller's.
    static func path(address: String, folder: RuntimeFolder) -> String {
        folder.path + "/dittojay-" + address.filter(\.isHexDigit) + ".name"
    }

    init(given: String, former: String) {
        self.given = given
        self.former = former
    }

    /// Reads a record; nil if there is none, or if it belongs to another user.
    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_uid == geteuid() else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        // D-Bus does not allow zero bytes in names.
        let parts = bytes[..<max(count, 0)].split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        given = String(decoding: parts[0], as: UTF8.self)
        former = String(decoding: parts[1], as: UTF8.self)
    }

    /// Writes the record. A failure matters only if this run is killed.
    func write(path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(given.utf8) + [0] + Array(former.utf8)
        _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}
