import Glibc
import Posix
import VirtualRadio

/// A socket at which hosts connect, each to a controller of its own: a Unix socket, for this user alone, or one of TCP,
/// for whoever reaches it.
final class HostListener {
    private enum Socket {
        case unix(UnixListener)
        case tcp(TCPListener)
    }

    private let socket: Socket

    /// - Parameter place: a path, or an address as ``TCPAddress`` takes it.
    init(_ place: String) throws(SystemError) {
        if place.hasPrefix(TCPAddress.prefix) {
            socket = .tcp(try TCPListener(at: TCPAddress(place)))
        } else {
            socket = .unix(try UnixListener(at: place))
        }
    }

    var descriptor: Int32 {
        switch socket {
        case .unix(let listener): listener.descriptor
        case .tcp(let listener): listener.descriptor
        }
    }

    /// Where it listens by TCP, with the port that the system has chosen.
    var address: TCPAddress? {
        if case .tcp(let listener) = socket { listener.address } else { nil }
    }

    /// What the user should know of it.
    var warning: String? {
        guard case .tcp(let listener) = socket, !listener.isLoopback else { return nil }
        return "whoever reaches \(listener.address) gets a controller: H4 has neither authentication nor encryption"
    }

    /// Prints where it listens by TCP. The path of a Unix socket is there as soon as hosts can connect.
    func announce() {
        if let warning { VirtualRadioProgram.say("virtual-radio: warning: \(warning)", to: STDERR_FILENO) }
        if let address { VirtualRadioProgram.say("listening at \(address)", to: STDOUT_FILENO) }
    }

    /// A host that has connected, if there is one.
    func accept() -> SerialPort? {
        let connection =
            switch socket {
            case .unix(let listener): listener.accept()?.descriptor
            case .tcp(let listener): listener.accept()
            }
        return connection.map { SerialPort($0, isSocket: true, to: .host) }
    }
}
