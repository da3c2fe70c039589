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

/// Notifications over the socket that bluetoothd acquired.
@LoopActor
final class SocketChannel: NotificationChannel {
    /// The longest value of a characteristic. What is too long for a central's link bluetoothd cuts off itself, knowing
    /// the packet size that holds now and not only the one at the time of the subscription.
    private static let maximumValueLength = 512
    /// How long to wait before looking again whether bluetoothd has read everything.
    private static let drainingTime: Duration = .milliseconds(2)

    private let socket: PacketSocket
    private let connection: BusConnection
    private let path: ObjectPath
    private var onReady: (@LoopActor () -> Void)?
    private var isBlocked = false
    private var draining: LoopSource?

    init(
        _ socket: PacketSocket, _ connection: BusConnection, path: ObjectPath,
        onReady: @escaping @LoopActor () -> Void, onClose: @escaping @LoopActor () -> Void
    ) {
        self.socket = socket
        self.connection = connection
        self.path = path
        self.onReady = onReady
        socket.onReady = { [weak self] in self?.onReady?() }
        socket.onClose = onClose
    }

    var isSocket: Bool { true }
    var hasUnread: Bool { socket.unreadByteCount > 0 }

    func send(_ value: Data) -> Bool {
        guard !isBlocked else { return false }
        guard !value.isEmpty else { return sendEmpty() }
        // A closed socket is no lack of room: the central has disconnected, which `onClose` reports.
        return (try? socket.send(value.prefix(Self.maximumValueLength))) ?? true
    }

    /// bluetoothd 5.66 takes an empty packet for the end and never reads its socket again, so an empty value has to go
    /// over the bus: after all that is in the socket, and before all that follows.
    private func sendEmpty() -> Bool {
        guard socket.unreadByteCount == 0 else {
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
        draining = nil
        socket.close()
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
