import CGLib
package import Foundation
import Posix

/// A pipe to or from a program.
///
/// No program has it but the one that it is given to. Foundation's `Pipe` is inherited by all that other threads start
/// meanwhile, and does not end before they do.
package struct ProcessPipe {
    /// The end that is read from.
    package let reading: FileHandle
    /// The end that is written to.
    package let writing: FileHandle

    /// - Throws: `LabError` when this process may open no more descriptors.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard g_unix_open_pipe(&ends, FD_CLOEXEC, nil) != 0 else {
            throw LabError("no pipe to a program: \(SystemError.reason())")
        }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
