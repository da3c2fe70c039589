import CGLib
import DBus
import Foundation

/// One end of a SOCK_SEQPACKET pair whose other end bluetoothd holds: one characteristic value a packet
/// (`AcquireNotify`, `AcquireWrite`).
@BusActor
public final class PacketSocket {
    /// The ATT MTU that holds for the link, in bytes: a value may have 3 bytes less.
    public let mtu: Int
    /// Called with the packets that have arrived, at least one, in their order.
    public var onPackets: (@BusActor ([Data]) -> Void)? {
        didSet { if (onPackets == nil) != (oldValue == nil) { watchReading() } }
    }
    /// Called when there is room again after ``send(_:)`` had answered false.
    public var onReady: (@BusActor () -> Void)?
    /// Called once when the other end has closed; not after ``close()``.
    public var onClose: (@BusActor () -> Void)?

    // Only `deinit` touches it off the actor, when nobody else can.
    private nonisolated(unsafe) var descriptor: Int32
    private var reading: LoopSource?
    private var writing: LoopSource?

    /// The longest value of a characteristic (Core Specification, Vol 3, Part F, 3.2.9).
    private static let maximumValueLength = 512

    /// Takes the descriptor over.
    init(_ descriptor: BusFileDescriptor, mtu: Int) throws(BlueZError) {
        guard let raw = descriptor.take() else { throw .invalidArguments("a socket that was taken before") }
        self.descriptor = raw
        self.mtu = mtu
        prepare()
    }

    /// Makes a connected pair: an end to keep, and the other's descriptor to give away.
    static func pair(mtu: Int) throws(BlueZError) -> (local: PacketSocket, remote: BusFileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .failed(name: "", message: "no socket pair: \(String(cString: strerror(errno)))")
        }
        // Both ends: bluetoothd's io code polls, but must never block on it either.
        _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
        return (try PacketSocket(BusFileDescriptor(owning: ends[0]), mtu: mtu), BusFileDescriptor(owning: ends[1]))
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        watchReading()
    }

    public var isOpen: Bool { descriptor >= 0 }

    /// Closes this end. Neither ``onClose`` nor anything else is called afterwards.
    public func close() {
        guard descriptor >= 0 else { return }
        reading?.cancel()
        writing?.cancel()
        reading = nil
        writing = nil
        Glibc.close(descriptor)
        descriptor = -1
        onPackets = nil
        onReady = nil
        onClose = nil
    }

    /// Sends one packet.
    ///
    /// - Returns: false when there is no room for it now; ``onReady`` tells when there is.
    /// - Throws: ``BlueZError/notConnected`` when the other end is gone.
    public func send(_ packet: Data) throws(BlueZError) -> Bool {
        guard descriptor >= 0 else { throw .notConnected }
        let sent = packet.withUnsafeBytes { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if sent >= 0 { return true }
        switch errno {
        case EAGAIN, ENOBUFS, EINTR:
            if writing == nil {
                writing = .descriptor(descriptor, .writable) { [weak self] _ in
                    self?.writing?.cancel()
                    self?.writing = nil
                    self?.onReady?()
                }
            }
            return false
        default: throw .notConnected
        }
    }

    /// How many bytes the other end has not taken yet.
    public var unreadByteCount: Int {
        var count: Int32 = 0
        // SIOCOUTQ, which Glibc's module does not export.
        guard descriptor >= 0, ioctl(descriptor, 0x5411, &count) == 0 else { return 0 }
        return Int(count)
    }

    private func watchReading() {
        guard descriptor >= 0 else { return }
        reading?.cancel()
        reading = .descriptor(descriptor, onPackets == nil ? .hangUp : [.readable, .hangUp]) { [weak self] events in
            self?.ready(events)
        }
    }

    /// How many packets the other end may send without this end looking: a part of what its socket takes, because
    /// bluetoothd drops what does not fit. The kernel's limit is 10 packets; where systemd has raised it to 512, the
    /// sender's buffer is what limits: seen were 278 packets of 20 or 180 bytes, and 167 of 500.
    private static let unwatchedPackets: Int = {
        let limit = try? String(contentsOfFile: "/proc/sys/net/unix/max_dgram_qlen", encoding: .utf8)
        return limit.flatMap { Int($0.filter(\.isNumber)) }.map { $0 >= 100 ? 32 : 0 } ?? 0
    }()
    /// Packets that are taken before those that have come are handed on.
    private static let packetsPerTurn = 512

    private func ready(_ events: DescriptorEvents) {
        // What was sent before the other end closed is read first.
        if events.contains(.readable) {
            let (packets, isAtEnd) = receive()
            if !packets.isEmpty {
                if Self.unwatchedPackets > 0 {
                    MainLoop.shared.paceFlood(packets.count, room: Self.unwatchedPackets)
                }
                onPackets?(packets)
            }
            if isAtEnd, descriptor >= 0 { ended() }
        } else if events.contains(.hangUp) {
            ended()
        }
    }

    /// Takes all that waits in the socket, as far as one turn of the loop may: the sender gets room before anything is
    /// done with the packets, which takes longer than to take them.
    private func receive() -> (packets: [Data], isAtEnd: Bool) {
        let (size, limit) = (Self.maximumValueLength, Int(cglib_packet_limit))
        return withUnsafeTemporaryAllocation(byteCount: limit * size, alignment: 1) { buffer in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: limit) { lengths in
                guard let base = buffer.baseAddress else { return ([], false) }
                var packets: [Data] = []
                while packets.count < Self.packetsPerTurn {
                    let count = Int(cglib_receive_packets(descriptor, base, size, lengths.baseAddress))
                    guard count >= 0 else { return (packets, errno != EAGAIN && errno != EINTR) }
                    // An empty value and the end of the connection both read as nothing. But the end comes last, and
                    // stays so.
                    var values = count
                    while values > 0, lengths[values - 1] == 0 { values -= 1 }
                    let isAtEnd = values < count && isHungUp
                    if !isAtEnd { values = count }
                    for index in 0..<values {
                        packets.append(Data(bytes: base + index * size, count: min(Int(lengths[index]), size)))
                    }
                    if isAtEnd || count < limit { return (packets, isAtEnd) }
                }
                return (packets, false)
            }
        }
    }

    private var isHungUp: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&state, 1, 0)
        return state.revents & Int16(POLLHUP) != 0
    }

    private func ended() {
        let closed = onClose
        close()
        closed?()
    }
}
