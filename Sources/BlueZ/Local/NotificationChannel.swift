import DBus
import Foundation
import MainLoop

/// Brings a local characteristic's notifications to bluetoothd.
@LoopActor
protocol NotificationChannel: AnyObject {
    var isSocket: Bool { get }
    /// Whether bluetoothd has not read all of it yet. It reads signals in their order, whatever they are about.
    var hasUnread: Bool { get }
    /// False when there is no room now.
    func send(_ value: Data) -> Bool
    func close()
}

/// Notifications over the sockets that bluetoothd acquired: one for all centrals (5.66), or one for each (5.82).
@LoopActor
final class SocketChannel: NotificationChannel {
    /// The longest value of a characteristic. What is too long for a central's link bluetoothd cuts off itself, knowing
    /// the packet size that holds now and not only the one at the time of the subscription.
    private static let maximumValueLength = 512
    /// How long to wait before looking again whether bluetoothd has read everything.
    private static let drainingTime: Duration = .milliseconds(2)

    private let connection: BusConnection
    private let path: ObjectPath
    private var onReady: (@LoopActor () -> Void)?
    private let onEnd: @LoopActor (ObjectPath) -> Void
    /// Those that are open, in the order in which they were acquired.
    private var sockets: [(central: ObjectPath, socket: PacketSocket)] = []
    private var isBlocked = false
    private var draining: LoopSource?
    /// Called once bluetoothd has read everything. Until then nothing is sent.
    private var onDrained: (@LoopActor () -> Void)?

    /// - Parameter onEnd: called when the socket has ended that was acquired for this central.
    init(
        _ connection: BusConnection, path: ObjectPath, onReady: @escaping @LoopActor () -> Void,
        onEnd: @escaping @LoopActor (ObjectPath) -> Void
    ) {
        self.connection = connection
        self.path = path
        self.onReady = onReady
        self.onEnd = onEnd
    }

    var isSocket: Bool { true }
    var isEmpty: Bool { sockets.isEmpty }
    var isDraining: Bool { onDrained != nil }
    /// For whom there is a socket.
    var centrals: [ObjectPath] { sockets.map(\.central) }
    var hasUnread: Bool { sockets.contains { $0.socket.unreadByteCount > 0 } }

    func add(_ socket: PacketSocket, for central: ObjectPath) {
        socket.onReady = { [weak self] in self?.onReady?() }
        socket.onClose = { [weak self] in self?.end(central) }
        sockets.append((central, socket))
    }

    /// Ends what is over before `central` gets a socket: that of a central that had this one's place, and an earlier
    /// one of its own.
    func makeWay(for central: ObjectPath) {
        removeEnded()
        end(central)
    }

    /// Ends what is over, of which the report may be still to come.
    func removeEnded() {
        for (central, socket) in sockets where socket.hasEnded { end(central) }
    }

    /// Whether there is a socket that was acquired for this central.
    func serves(_ central: ObjectPath) -> Bool { centrals.contains(central) }

    /// Sends nothing more, and calls back when bluetoothd has read what was sent.
    func drain(_ completion: @escaping @LoopActor () -> Void) {
        onDrained = completion
        awaitDrained()
    }

    private func awaitDrained() {
        guard hasUnread || isBlocked else {
            let completion = onDrained
            onDrained = nil
            completion?()
            return
        }
        draining = .timer(after: Self.drainingTime) { [weak self] in self?.awaitDrained() }
    }

    private func end(_ central: ObjectPath) {
        guard let index = sockets.firstIndex(where: { $0.central == central }) else { return }
        sockets.remove(at: index).socket.close()
        onEnd(central)
    }

    func send(_ value: Data) -> Bool {
        guard !isBlocked, !isDraining else { return false }
        guard !value.isEmpty else { return sendEmpty() }
        // All get it, or none: what is refused is sent again.
        guard sockets.count == 1 || sockets.allSatisfy(\.socket.hasRoom) else { return false }
        var isSent = true
        for (_, socket) in sockets {
            // A closed socket is no lack of room: the central has disconnected, which `onEnd` reports.
            isSent = (try? socket.send(value.prefix(Self.maximumValueLength))) ?? true && isSent
        }
        return isSent
    }

    /// bluetoothd 5.66 takes an empty packet for the end and never reads its socket again, so an empty value has to go
    /// over the bus: after all that is in the sockets, and before all that follows.
    private func sendEmpty() -> Bool {
        guard !hasUnread else {
            draining = .timer(after: Self.drainingTime) { [weak self] in self?.onReady?() }
            return false
        }
        guard
            (try? connection.emitChange(of: GattCharacteristic1.value, to: Data(), at: path)) != nil
        else { return true }
        isBlocked = true
        connection.confirmReceipt { [weak self] in
            self?.isBlocked = false
            self?.onReady?()
        }
        return true
    }

    func close() {
        onReady = nil
        onDrained = nil
        draining = nil
        for (_, socket) in sockets { socket.close() }
        sockets = []
    }
}

/// Notifications as PropertiesChanged signals, for a bluetoothd that does not acquire a socket.
///
/// The bus has no back-pressure of its own: what bluetoothd does not read in time piles up until the bus disconnects
/// the sender. So a window of signals is followed by a call of bluetoothd, whose answer proves that it has read them.
@LoopActor
final class SignalChannel: NotificationChannel {
    private static let window = 32

    private let connection: BusConnection
    private let path: ObjectPath
    private var onReady: (@LoopActor () -> Void)?
    private var unconfirmed = 0
    private var wasRefused = false

    init(_ connection: BusConnection, path: ObjectPath, onReady: @escaping @LoopActor () -> Void) {
        self.connection = connection
        self.path = path
        self.onReady = onReady
    }

    var isSocket: Bool { false }
    var hasUnread: Bool { false }

    func send(_ value: Data) -> Bool {
        guard unconfirmed < Self.window else {
            wasRefused = true
            return false
        }
        do {
            try connection.emitChange(of: GattCharacteristic1.value, to: value, at: path)
        } catch {
            // The bus was lost, and with it every subscription.
            return true
        }
        unconfirmed += 1
        if unconfirmed == Self.window { confirm() }
        return true
    }

    private func confirm() {
        connection.confirmReceipt { [weak self] in
            guard let self else { return }
            unconfirmed = 0
            if wasRefused {
                wasRefused = false
                onReady?()
            }
        }
    }

    func close() { onReady = nil }
}
