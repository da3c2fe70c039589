import CoreBluetooth
import Foundation
import MainLoop

/// One program that is connected to the agent's socket. Used on the agent's queue only.
final class SocketPeer: AgentPeer {
    /// Handles a message; false when it breaks the protocol.
    typealias Handler = (AppMessage, SocketPeer) -> Bool

    let process: ProcessMark?
    /// Whether it has registered.
    private(set) var isRegistered = false

    private let connection: ServerConnection
    private let handler: Handler

    /// How many messages are handled before others get their turn.
    private static let messagesPerTurn = 16

    init(_ connection: ServerConnection, handler: @escaping Handler) {
        self.connection = connection
        process = ProcessMark(running: connection.process)
        self.handler = handler
        connection.onReadable = { self.read() }
    }

    func close() { connection.close() }

    func send(_ message: AgentMessage, passing descriptor: Int32?) {
        guard connection.isOpen else { return }
        // No message is too long: ``AgentLimits`` sees to that.
        guard let bytes = MessageCoder.encode(message) else { return close() }
        switch PacketIO.send(bytes, to: connection.descriptor, passing: descriptor) {
        case .done: break
        // What the program has said before, perhaps goodbye, is still to be read, and then the end.
        case .closed: break
        // A program that does not read the few short answers that it gets has stopped working.
        case .full: close()
        }
    }

    private func read() {
        for _ in 0..<Self.messagesPerTurn {
            guard connection.isOpen else { return }
            switch PacketIO.receive(from: connection.descriptor, limit: MessageCoder.maximumLength) {
            case .nothing: return
            case .end, .tooLong: return close()
            case .packet(let bytes, _):
                guard let message = MessageCoder.decode(AppMessage.self, from: bytes), handler(message, self) else {
                    return close()
                }
                if case .hello = message { isRegistered = true }
                if case .goodbye = message { return close() }
            }
        }
    }
}
