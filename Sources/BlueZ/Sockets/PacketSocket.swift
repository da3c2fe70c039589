import CGLib
import DBus
package import Foundation
package import MainLoop
import Posix

/// One end of a SOCK_SEQPACKET pair whose other end bluetoothd holds: one characteristic value a packet
/// (`AcquireNotify`, `AcquireWrite`).
@LoopActor
package final class PacketSocket {
    /// The ATT MTU that holds for the link, in bytes: a value may have 3 bytes less.
    package let mtu: Int
    /// Called when there is room again after ``send(_:)`` had answered false.
    package var onReady: (@LoopActor () -> Void)?
    /// Called once when the other end has closed; not after ``close()``.
    package var onClose: (@LoopActor () -> Void)?

    // Only `deinit` touches it off the actor, when it has the only reference.
    private nonisolated(unsafe) var descriptor: Int32
    /// What reads the socket; nil before ``receive(_:onLoss:)``.
    private var reception: Reception?
    /// Waits for the end while nothing reads.
    private var ending: LoopSource?
    private var writing: LoopSource?

    private struct Reception: Swift.Sendable {
        let reader: PacketReader
        let number: UInt64
        let inbox: PacketInbox

        func end(_ descriptor: Int32) { reader.remove(number, descriptor, inbox) }
    }

    private var onPackets: (@LoopActor ([Data]) -> Void)?
    private var onLoss: (@LoopActor (PacketLoss) -> Void)?
    /// Empty: memory to swap with the inbox's.
    private var batch = PacketBatch()

    /// Takes the descriptor over.
    init(_ descriptor: BusFileDescriptor, mtu: Int) throws(BlueZError) {
        guard let raw = descriptor.take() else { throw .invalidArguments("a socket that was taken before") }
        self.descriptor = raw
        self.mtu = mtu
        _ = fcntl(self.descriptor, F_SETFL, fcntl(self.descriptor, F_GETFL) | O_NONBLOCK)
        ending = .descriptor(self.descriptor, .hangUp) { [weak self] _ in self?.ended() }
    }

    /// Makes a connected pair: an end to keep, and the other's descriptor to give away.
    static func pair(mtu: Int) throws(BlueZError) -> (local: PacketSocket, remote: BusFileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .failed(name: "", message: "cannot create a socket pair: \(SystemError.reason())")
        }
        // Both ends: bluetoothd's io code polls, but must never block on it either.
        _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
        return (try PacketSocket(BusFileDescriptor(owning: ends[0]), mtu: mtu), BusFileDescriptor(owning: ends[1]))
    }

    deinit {
        guard descriptor >= 0 else { return }
        reception?.end(descriptor)
        Glibc.close(descriptor)
    }

    package var isOpen: Bool { descriptor >= 0 }

    /// Closes this end. Neither ``onClose`` nor anything else is called afterwards.
    package func close() {
        guard descriptor >= 0 else { return }
        reception?.end(descriptor)
        ending?.cancel()
        writing?.cancel()
        reception = nil
        ending = nil
        writing = nil
        Glibc.close(descriptor)
        descriptor = -1
        onPackets = nil
        onLoss = nil
        onReady = nil
        onClose = nil
    }

    /// Passes on the packets that have come so far, and closes this end.
    package func finish() {
        if let reception {
            let buffer = PacketBuffer()
            var capacity = PacketCapacity()
            while reception.inbox.read(buffer, &capacity).taken > 0 {}
            handOn()
        }
        onClose = nil
        close()
    }

    /// Sends one packet.
    ///
    /// - Returns: false when there is no room for it now; ``onReady`` is called when there is.
    /// - Throws: ``BlueZError/notConnected`` when the other end is closed.
    package func send(_ packet: Data) throws(BlueZError) -> Bool {
        guard descriptor >= 0 else { throw .notConnected }
        let sent = packet.withUnsafeBytes { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if sent >= 0 { return true }
        switch errno {
        case EAGAIN, ENOBUFS, EINTR:
            awaitRoom()
            return false
        default: throw .notConnected
        }
    }

    /// Whether ``send(_:)`` would take a packet now, or fail because the other end is closed. If not, ``onReady`` is
    /// called when there is room.
    package var hasRoom: Bool {
        guard descriptor >= 0, events(POLLOUT) == 0 else { return true }
        awaitRoom()
        return false
    }

    /// Whether the other end has closed, even if ``onClose`` has not been called yet.
    package var hasEnded: Bool { descriptor < 0 || events(0) & Int32(POLLHUP) != 0 }

    private func events(_ wanted: Int32) -> Int32 {
        var request = pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
        return poll(&request, 1, 0) > 0 ? Int32(request.revents) : 0
    }

    private func awaitRoom() {
        guard writing == nil else { return }
        writing = .descriptor(descriptor, .writable) { [weak self] _ in
            self?.writing?.cancel()
            self?.writing = nil
            self?.onReady?()
        }
    }

    /// How many bytes the other end has not taken yet.
    package var unreadByteCount: Int {
        var count: Int32 = 0
        // SIOCOUTQ, which Glibc's module does not export.
        guard descriptor >= 0, ioctl(descriptor, 0x5411, &count) == 0 else { return 0 }
        return Int(count)
    }

    // MARK: Receiving

    /// Starts taking packets out of the socket, on a thread that does nothing else. To be called once.
    ///
    /// Packets that have come wait for the loop, up to a limit. What exceeds it is dropped, and counted.
    ///
    /// - Parameters:
    ///   - onPackets: called with the packets that have come, at least one, in their order.
    ///   - onLoss: called when packets were lost, or may have been, after `onPackets` with those that came before.
    package func receive(
        _ onPackets: @escaping @LoopActor ([Data]) -> Void, onLoss: @escaping @LoopActor (PacketLoss) -> Void
    ) throws(BlueZError) {
        try receive(limits: PacketBatch.Limits(), onPackets, onLoss: onLoss)
    }

    func receive(
        limits: PacketBatch.Limits, _ onPackets: @escaping @LoopActor ([Data]) -> Void,
        onLoss: @escaping @LoopActor (PacketLoss) -> Void = { _ in }
    ) throws(BlueZError) {
        guard descriptor >= 0, reception == nil else { throw .notConnected }
        let reader = try PacketReader.shared()
        let inbox = PacketInbox(descriptor, limits: limits) { [weak self] in self?.handOn() }
        reception = Reception(reader: reader, number: try reader.add(descriptor, inbox), inbox: inbox)
        // The reader sees the end, after all that comes before it.
        ending?.cancel()
        ending = nil
        self.onPackets = onPackets
        self.onLoss = onLoss
    }

    private func handOn() {
        guard let reception else { return }
        let (loss, isAtEnd) = reception.inbox.take(&batch)
        let packets = batch.removePackets()
        if !packets.isEmpty {
            MainLoop.shared.coalesceReads(packets.count)
            onPackets?(packets)
        }
        // Each of the calls may close the socket.
        if !loss.isEmpty { onLoss?(loss) }
        if isAtEnd, descriptor >= 0 { ended() }
    }

    private func ended() {
        let closed = onClose
        close()
        closed?()
    }
}
