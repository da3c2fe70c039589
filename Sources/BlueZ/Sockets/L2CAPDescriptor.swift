import CGLib
import Foundation
import Posix

/// The calls on one of the kernel's sockets for L2CAP channels on LE with credit-based flow control
/// (Core Specification, Vol 3, Part A, 10.1).
///
/// The mode need not be asked for: these sockets have it when they are bound to an address of LE. Any user may open
/// them.
struct L2CAPDescriptor: Swift.Sendable {
    let raw: Int32

    /// The largest piece (SDU) that peers may send. It also decides how many packets a peer may send ahead, on kernels
    /// before 6.10 all of them: one piece's.
    static let receivedPieceLimit: UInt16 = 8192
    /// The largest piece that is sent. Half of a socket's buffer has to hold it in the smallest packets that a peer may
    /// ask for, each of which takes some 800 bytes there, or it would never fit.
    static let sentPieceLimit = 2048

    // include/net/bluetooth/bluetooth.h
    private static let level: Int32 = 274
    private static let security: Int32 = 4
    private static let sendMTU: Int32 = 12
    private static let receiveMTU: Int32 = 13
    private static let mediumSecurity: UInt8 = 2

    /// - Parameter local: the controller's address, with the number that is offered.
    init(boundTo local: L2CAPAddress) throws(BlueZError) {
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        raw = socket(31, type, 0)
        guard raw >= 0 else { throw Self.creationError(errno) }
        do {
            guard try local.pass(to: { bind(raw, $0, $1) }) == 0 else {
                let attempt = "bind an L2CAP socket to \(local.device)"
                throw errno == EADDRINUSE ? BlueZError.inProgress(attempt) : Self.failure(attempt, errno)
            }
        } catch {
            Glibc.close(raw)
            throw error as? BlueZError ?? .failed(name: "", message: "\(error)")
        }
        // It may be less than what is asked for: the system has a limit (net.core.rmem_max).
        if !Self.hasFlowControl { set(SOL_SOCKET, SO_RCVBUF, Int32(4 << 20)) }
        set(Self.level, Self.receiveMTU, Self.receivedPieceLimit)
    }

    /// Takes over a descriptor that was accepted.
    init(accepted: Int32) { raw = accepted }

    private static func creationError(_ number: Int32) -> BlueZError {
        switch number {
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            .notSupported(
                "Bluetooth sockets are not available: the kernel has no Bluetooth (module bluetooth), or this is not the "
                    + "initial network namespace, as in a container without the host's network")
        default: failure("open an L2CAP socket", number)
        }
    }

    static func failure(_ attempt: String, _ number: Int32) -> BlueZError {
        .failed(name: "", message: "cannot \(attempt): \(SystemError.reason(number))")
    }

    // MARK: Options

    /// Peers have to pair before a channel opens.
    func requireEncryption() -> Bool {
        // struct bt_security: level, size of the key (any).
        set(Self.level, Self.security, [Self.mediumSecurity, 0])
    }

    /// The largest piece that the peer takes, in bytes.
    var peerLimit: Int {
        var mtu: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        guard getsockopt(raw, Self.level, Self.sendMTU, &mtu, &length) == 0 else { return 23 }
        return Int(mtu)
    }

    /// The socket's own error, which is cleared.
    func takeError() -> Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(raw, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    /// How many bytes of memory hold what was written and is not yet with the controller, and how many pieces were
    /// dropped for want of room: `SO_MEMINFO`, in include/uapi/linux/sock_diag.h.
    var memory: (unsent: UInt32, dropped: UInt32) {
        var values = [UInt32](repeating: 0, count: 9)
        var length = socklen_t(values.count * MemoryLayout<UInt32>.size)
        guard getsockopt(raw, SOL_SOCKET, 55, &values, &length) == 0 else { return (0, 0) }
        return (values[2], values[8])
    }

    @discardableResult
    private func set<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) -> Bool {
        withUnsafeBytes(of: value) { setsockopt(raw, level, name, $0.baseAddress, socklen_t($0.count)) == 0 }
    }

    private func set(_ level: Int32, _ name: Int32, _ bytes: [UInt8]) -> Bool {
        setsockopt(raw, level, name, bytes, socklen_t(bytes.count)) == 0
    }

    // MARK: Readiness

    private func poll(for events: Int32) -> Int32 {
        var entry = pollfd(fd: raw, events: Int16(truncatingIfNeeded: events), revents: 0)
        return Glibc.poll(&entry, 1, 0) > 0 ? Int32(entry.revents) : 0
    }

    /// Whether the peer gives credit and the socket has memory.
    var hasRoom: Bool { poll(for: Int32(POLLOUT)) & Int32(POLLOUT) != 0 }
    /// Whether the channel has ended, for whatever reason.
    var isHungUp: Bool { poll(for: 0) & (Int32(POLLERR) | Int32(POLLHUP)) != 0 }
    /// Whether the peer has closed the channel: `POLLRDHUP`, which a lost link does not set.
    var isClosedByPeer: Bool { poll(for: 0x2000) & 0x2000 != 0 }

    // MARK: The kernel's flow control

    /// Whether the kernel gives a peer only as many credits as there is room for what it sends. Before Linux 6.10 it
    /// gives them back as the pieces come, and drops what a program does not read in time (`l2cap_publish_rx_avail` in
    /// net/bluetooth/l2cap_sock.c).
    static let hasFlowControl: Bool = {
        var name = utsname()
        guard uname(&name) == 0 else { return false }
        return hasFlowControl(
            withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }()

    /// - Parameter release: the kernel's, such as `6.1.0-37-amd64`.
    static func hasFlowControl(_ release: String) -> Bool {
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) >= (6, 10)
    }
}
