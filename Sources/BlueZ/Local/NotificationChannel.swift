import DBus
import Foundation

/// The way of a local characteristic's notifications to bluetoothd.
@BusActor
protocol NotificationChannel: AnyObject {
    var isSocket: Bool { get }
    /// False when there is no room now.
    func send(_ value: Data) -> Bool
    func close()
}

/// Notifications over the socket that bluetoothd acquired.
@BusActor
final class SocketChannel: NotificationChannel {
    private let socket: PacketSocket

    init(_ socket: PacketSocket, onReady: @escaping @BusActor () -> Void, onClose: @escaping @BusActor () -> Void) {
        self.socket = socket
        socket.onReady = onReady
        socket.onClose = onClose
    }

    var isSocket: Bool { true }

    func send(_ value: Data) -> Bool {
        // What is longer than a notification can carry would be refused by bluetoothd: cut it, as Apple does. A closed
        // socket is no lack of room: the central is gone, and its end is told by `onClose`.
        (try? socket.send(value.prefix(max(socket.mtu - 3, 20)))) ?? true
    }

    func close() { socket.close() }
}

/// Notifications as PropertiesChanged signals, for a bluetoothd that does not acquire a socket.
///
/// The bus has no back-pressure of its own: what bluetoothd does not read in time piles up until the bus gives the
/// sender up. So a window of signals is followed by a call of bluetoothd, whose answer proves that it has read them.
@BusActor
final class SignalChannel: NotificationChannel {
    private static let window = 32

    private let connection: BusConnection
    private let path: ObjectPath
    private var onReady: (@BusActor () -> Void)?
    private var unconfirmed = 0
    private var wasRefused = false

    init(_ connection: BusConnection, path: ObjectPath, onReady: @escaping @BusActor () -> Void) {
        self.connection = connection
        self.path = path
        self.onReady = onReady
    }

    var isSocket: Bool { false }

    func send(_ value: Data) -> Bool {
        guard unconfirmed < Self.window else {
            wasRefused = true
            return false
        }
        do {
            try connection.emitPropertiesChanged(["Value": .bytes(value)], of: RemoteCharacteristic.interface, at: path)
        } catch {
            // The bus is gone, and with it every subscription.
            return true
        }
        unconfirmed += 1
        if unconfirmed == Self.window { confirm() }
        return true
    }

    private func confirm() {
        let ping = MethodCall(
            destination: BlueZSession.serviceName, path: .root, interface: "org.freedesktop.DBus.Peer", method: "Ping")
        connection.call(ping) { [weak self] _ in
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
