import Posix
import VirtualRadio

/// A socket of this machine at which hosts connect, each to a controller of its own. Only this user may.
final class HostListener {
    private let listener: UnixListener
    var descriptor: Int32 { listener.descriptor }

    init(_ path: String) throws(SystemError) {
        listener = try UnixListener(at: path)
    }

    /// A host that has connected, if there is one.
    func accept() -> SerialPort? {
        listener.accept().map { SerialPort($0.descriptor, isSocket: true, to: .host) }
    }
}
