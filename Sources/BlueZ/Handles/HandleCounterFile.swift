import Foundation
import Posix

/// The handle that comes next on an adapter, in a file that all programs of this user share.
///
/// Where the file cannot be kept, the number is this program's alone. This does harm only when programs follow one
/// another.
final class HandleCounterFile {
    /// Where the files of this user's programs are.
    static let folder = StateFolder.path() + "/handles"

    private let path: String
    private var known: Int?

    /// - Parameters:
    ///   - address: the adapter's.
    ///   - folder: where the file is; made if it is missing.
    init(address: String, folder: String) {
        path = folder + "/" + address.filter(\.isHexDigit)
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Replaces the number. No other program changes it meanwhile.
    ///
    /// - Parameter change: makes the new number of the old one, which is nil if there is none.
    func update(_ change: (Int?) -> Int) {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, flock(file, LOCK_EX) == 0 else {
            known = change(known)
            return
        }
        let next = change(Self.read(file) ?? known)
        known = next
        // One write of a few bytes: a program that is killed leaves the old number or the new one.
        let line = Array("\(next)\n".utf8)
        guard pwrite(file, line, line.count, 0) == line.count else { return }
        _ = ftruncate(file, off_t(line.count))
    }

    private static func read(_ file: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return Int(String(decoding: line, as: UTF8.self))
    }
}
