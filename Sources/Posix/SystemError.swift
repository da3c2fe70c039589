import Glibc

/// A system call that failed: what was attempted, on what, and the system's reason.
package struct SystemError: Error, CustomStringConvertible, Hashable, Sendable {
    package let description: String
    /// The value of `errno`, or the one that stands for the failure; 0 if none does.
    package let code: Int32

    /// - Parameters:
    ///   - attempt: what failed, such as "cannot open /dev/vhci".
    ///   - code: of the call that has just failed.
    package init(_ attempt: String, code: Int32 = errno) {
        self.code = code
        description = "\(attempt): \(Self.reason(code))"
    }

    /// - Parameter text: all there is to say.
    package init(text: String, code: Int32 = 0) {
        self.code = code
        description = text
    }

    /// The system's words for an error, such as "No such file or directory".
    package static func reason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}
