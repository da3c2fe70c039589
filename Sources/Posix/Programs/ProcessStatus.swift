package import Glibc

/// What the kernel says about a process in `/proc/PID/stat` (proc(5)).
package struct ProcessStatus: Equatable {
    /// Whether it has ended, and waits for its parent or for the last of its threads: until then it has its
    /// descriptors.
    package let hasEnded: Bool
    /// In the kernel's ticks since the machine was started.
    package let start: UInt64

    /// The status of the process with this number; nil if there is none.
    package init?(of identifier: pid_t) {
        guard identifier > 0 else { return nil }
        let file = open("/proc/\(identifier)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The kernel gives all of it at once; a name has at most 15 bytes, and some fifty fields follow.
        let content = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(read(file, buffer.baseAddress, buffer.count), 0)
        }
        self.init(content)
    }

    /// The status in the content of the file; nil if it is cut off.
    ///
    /// The name is in parentheses, and may have any bytes: parentheses, spaces, newlines, and a part of a character,
    /// because the kernel cuts it after 15 bytes.
    package init?(_ content: [UInt8]) {
        guard let nameEnd = content.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        // After the name: state, parent, …, start as the twentieth.
        let fields = String(decoding: content[nameEnd...].dropFirst(), as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let start = UInt64(fields[19]) else { return nil }
        self.start = start
        hasEnded = ["Z", "X", "x"].contains(fields[0])
    }
}
