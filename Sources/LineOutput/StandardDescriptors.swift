import Glibc

/// The descriptors 0 to 2, which a program may be started without.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of those that are closed, so that nothing else that the program opens becomes its
    /// input or output. To be called before anything is opened.
    ///
    /// Input has then ended, and output fails: it is opened for reading only, because output to a closed descriptor is
    /// lost.
    package static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest that is free: this one.
            _ = Glibc.open("/dev/null", O_RDONLY)
        }
    }
}
