import BlueZ
import DequeModule
import MainLoop

/// The way of a characteristic's writes without response past the bus.
///
/// It is used for characteristics that can be written in this way only: while somebody holds the socket bluetoothd
/// refuses every other write (5.66).
@LoopActor
final class WriteSocket {
    private var socket: PacketSocket?
    private var waiting: Deque<(Data, @LoopActor () -> Void)> = []

    init(_ socket: PacketSocket) {
        self.socket = socket
        socket.onReady = { [weak self] in self?.sendWaiting() }
        socket.onClose = { [weak self] in self?.close() }
    }

    var isOpen: Bool { socket != nil }

    /// Sends `value`. Calls `done` when the socket has taken it, or has ended.
    func send(_ value: Data, done: @escaping @LoopActor () -> Void) {
        waiting.append((value, done))
        if waiting.count == 1 { sendWaiting() }
    }

    /// Whether bluetoothd has yet to read something.
    var hasUnread: Bool { !waiting.isEmpty || (socket?.unreadByteCount ?? 0) > 0 }

    func close() {
        socket?.close()
        socket = nil
        let abandoned = waiting
        waiting = []
        for (_, done) in abandoned { done() }
    }

    private func sendWaiting() {
        while let (value, done) = waiting.first {
            guard let socket else { return }
            do {
                guard try socket.send(value) else { return }
            } catch {
                return close()
            }
            waiting.removeFirst()
            done()
        }
    }
}
