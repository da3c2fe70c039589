import Glibc

/// The next connection to a socket that listens, which does not block and is closed on exec.
///
/// - Returns: nil if there is none, or if it cannot be accepted: see `errno`.
func acceptConnection(_ listener: Int32) -> Int32? {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return connection
}
