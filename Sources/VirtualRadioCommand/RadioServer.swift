import Glibc
import Posix
import RadioControl

/// The control socket and its clients. Nothing here waits: what a client does not take is kept for it up to a limit,
/// and then the client is closed.
final class RadioServer {
    private let director: RadioDirector
    private let listener: UnixListener
    private var clients: [RadioClient] = []

    static let maximumClients = 32

    /// Listens, if no other radio does at that path.
    init(_ director: RadioDirector, at path: String) throws(SystemError) {
        self.director = director
        try ControlPath.prepare(path)
        listener = try UnixListener(at: path)
        director.onEvent = { [weak self] event in
            for client in self?.clients ?? [] where client.follows { client.send(event) }
        }
    }

    /// Removes the socket's file, unless it is another radio's meanwhile.
    func stop() { listener.stop() }

    // MARK: Polling

    /// What to wait for.
    ///
    /// - Parameter accepts: whether also for clients that connect.
    func addPolled(to polled: inout [pollfd], accepts: Bool = true) {
        polled.append(pollfd(fd: accepts ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0))
        for client in clients { polled.append(client.polled) }
    }

    /// Does what is possible. `polled` are those that ``addPolled(to:accepts:)`` has added.
    ///
    /// - Returns: false if there was no file descriptor for a client that has connected.
    @discardableResult
    func handle(_ polled: ArraySlice<pollfd>) -> Bool {
        for (client, entry) in zip(clients, polled.dropFirst()) where entry.revents != 0 {
            client.handle(entry.revents) { [director] line in director.answer(line) }
        }
        clients.removeAll { $0.isClosed }
        guard let first = polled.first, first.revents != 0 else { return true }
        return accept()
    }

    private func accept() -> Bool {
        for _ in 0..<Self.maximumClients {
            guard let connection = listener.accept() else { return errno != EMFILE && errno != ENFILE }
            let client = RadioClient(connection.descriptor)
            if clients.count < Self.maximumClients, connection.user == geteuid() || connection.user == 0 {
                clients.append(client)
            } else {
                client.send(RadioDirector.refuse("too many clients (limit \(Self.maximumClients))"))
            }
        }
        return true
    }
}

/// A client of the control socket.
final class RadioClient {
    private let descriptor: Int32
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    /// Whether what is left of a line that was too long is to be dropped.
    private var isSkipping = false
    /// Whether it has sent its last request.
    private var hasEnded = false
    /// Whether it gets events.
    private(set) var follows = false
    private(set) var isClosed = false

    /// How much is kept for a client that does not read, in bytes.
    static let maximumOutgoing = 1 << 18

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// While an answer waits for its reader, no more requests are read.
    var polled: pollfd {
        let wanted = outgoing.isEmpty ? (hasEnded ? 0 : POLLIN) : POLLOUT
        return pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
    }

    func handle(_ events: Int16, _ answer: (ArraySlice<UInt8>) -> RadioDirector.Answer) {
        if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return isClosed = true }
        write()
        guard events & Int16(POLLIN) != 0, !isClosed else { return }
        read()
        while !isClosed, let end = incoming.firstIndex(of: 0x0A) {
            let line = incoming[..<end]
            if !isSkipping, !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) {
                switch answer(line) {
                case .reply(let reply): send(reply)
                case .follow(let reply, let past):
                    follows = true
                    for line in [reply] + past { send(line) }
                }
            }
            isSkipping = false
            incoming.removeSubrange(...end)
        }
        if incoming.count > RadioDirector.longestRequest {
            if !isSkipping {
                send(RadioDirector.refuse("request too long (limit \(RadioDirector.longestRequest) bytes)"))
            }
            isSkipping = true
            incoming = []
        }
        if hasEnded, outgoing.isEmpty, !follows { isClosed = true }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 { return incoming += buffer[..<count] }
        if count == 0 { return hasEnded = true }
        if errno != EAGAIN && errno != EINTR { isClosed = true }
    }

    /// Sends a line, now or when the client takes it. One that has not taken too many is closed.
    func send(_ line: String) {
        guard outgoing.count + line.utf8.count < Self.maximumOutgoing else { return isClosed = true }
        outgoing += Array(line.utf8) + [0x0A]
        write()
    }

    private func write() {
        while !outgoing.isEmpty {
            let count = Glibc.write(descriptor, outgoing, outgoing.count)
            if count > 0 {
                outgoing.removeFirst(count)
            } else {
                if errno != EAGAIN && errno != EINTR { isClosed = true }
                return
            }
        }
        if hasEnded, !follows { isClosed = true }
    }
}
