import Foundation

/// Bytes that wait until a stream socket takes them.
package struct SendBuffer {
    /// What became of an attempt to send them.
    package enum Outcome: Hashable, Swift.Sendable {
        case sentAll
        /// The socket is full: the rest waits until it is writable.
        case isFull
        /// The connection is broken.
        case failed
    }

    private var bytes: ArraySlice<UInt8> = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }
    /// How many bytes wait.
    package var count: Int { bytes.count }

    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes += more
    }

    package mutating func removeAll() {
        bytes = []
    }

    /// Sends as much as the socket takes, without waiting for it.
    package mutating func send(to descriptor: Int32) -> Outcome {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                return .isFull
            } else if errno != EINTR {
                return .failed
            }
        }
        // Gives back the memory of what was sent.
        bytes = []
        return .sentAll
    }
}
