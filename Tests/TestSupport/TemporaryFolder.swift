package import Foundation

/// A folder of a test's own, which goes with this object. Nobody else can look into it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        // Short, as addresses of sockets have to be.
        url = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }
}
