import Glibc

/// Why output was lost.
package struct OutputError: Error, Hashable, CustomStringConvertible, Swift.Sendable {
    /// What happened to it.
    package enum Reason: Hashable, Swift.Sendable {
        /// A write has failed with this error number.
        case failed(Int32)
        /// More was written than may wait for a reader that does not read; in bytes.
        case tooMuchWaits(limit: Int)
        /// The program has ended before its reader had taken this many bytes.
        case notTaken(bytes: Int)
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// The exit status of a program whose output was lost: `EX_IOERR` of sysexits.h.
    package static let exitStatus: Int32 = 74

    /// Whether the reader has closed the pipe, as `head` does when it has enough. That is no loss.
    package var isByTheReader: Bool { reason == .failed(EPIPE) }

    package var description: String {
        switch reason {
        // The error of a descriptor that was closed at the start; see ``StandardDescriptors``.
        case .failed(EBADF): "cannot write to standard output: it is closed"
        case .failed(let code): "cannot write to standard output: \(String(cString: strerror(code)))"
        case .tooMuchWaits(let limit):
            "standard output is not read: more than \(limit) bytes would have to wait for its reader"
        case .notTaken(let bytes): "standard output is not read: the last \(bytes) bytes are lost"
        }
    }
}
