import Foundation
import MainLoop
import RestorationProtocol

/// One program that is connected to the agent's socket. Used on the agent's queue only.
final class AgentConnection: AgentPeer {
    /// Handles a message; false when it breaks the protocol.
    typealias Handler = (AppMessage, AgentConnection) -> Bool

    let process: ProcessMark?
    /// Whether it has registered.
    private(set) var isRegistered = false
    /// Called once when the connection has ended, from whatever side.
    var onClose: ((AgentConnection) -> Void)?

    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private let handler: Handler

    /// How many messages are handled before others get their turn.
    private static let messagesPerTurn = 16

    /// Takes the descriptor over.
    init(_ descriptor: Int32, process: ProcessMark?, queue: DispatchQueue, handler: @escaping Handler) {
        self.descriptor = descriptor
        self.process = process
        self.handler = handler
        // The watch keeps the connection alive until it is closed.
        watch = DescriptorWatch(descriptor, queue: queue) { self.read() }
    }

    func start() {
        watch?.start()
    }

    func close() {
        guard let watch else { return }
        self.watch = nil
        // The other end sees it at once, not when the loop has come to closing the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        watch.cancel()
        let closed = onClose
        onClose = nil
        closed?(self)
    }

    func send(_ message: AgentMessage, passing descriptor: Int32?) {
        guard watch != nil else { return }
        // No message is too long: ``AgentLimits`` sees to that. Who does not read the few short answers that it gets
        // has stopped to work.
        guard let bytes = MessageCoder.encode(message),
            PacketIO.send(bytes, to: self.descriptor, passing: descriptor) == .done
        else { return close() }
    }

    private func read() {
        for _ in 0..<Self.messagesPerTurn {
            guard watch != nil else { return }
            switch PacketIO.receive(from: descriptor, limit: MessageCoder.maximumLength) {
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
