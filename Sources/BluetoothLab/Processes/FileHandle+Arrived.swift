package import Foundation

extension FileHandle {
    /// What has arrived, as soon as anything has; empty at the end.
    ///
    /// `availableData` ends the process when a signal interrupts it (swift-corelibs-foundation of Swift 6.3).
    package func arrived() -> Data {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(fileDescriptor, &buffer, buffer.count)
            if count >= 0 { return Data(buffer[..<count]) }
            if errno != EINTR { return Data() }
        }
    }
}
