import Glibc
import RadioControl

/// The control socket and its clients. Nothing here waits: what a client does not take is kept for it up to a limit,
/// and then the client is closed.
final class RadioServer {
    private let director: RadioDirector
    private let path: String
    private let descriptor: Int32
    private var file = stat()
    private var clients: [RadioClient] = []

    static let maximumClients = 32

    /// Listens, if no other radio does at that path.
    init(_ director: RadioDirector, at path: String) throws(SystemError) {
        self.director = director
        self.path = path
        try ControlPath.prepare(path)
        descriptor = ControlPath.makeSocket()
        guard descriptor >= 0 else { throw SystemError("cannot create a socket") }
        try listen()
        director.onEvent = { [weak self] event in
            for client in self?.clients ?? [] where client.follows { client.send(event) }
        }
    }

    deinit {
        stop()
        close(descriptor)
    }

    /// Removes the socket's file, unless it is another radio's meanwhile.
    func stop() {
        var info = stat()
        if lstat(path, &info) == 0, info.st_dev == file.st_dev, info.st_ino == file.st_ino { unlink(path) }
    }

    private func listen() throws(SystemError) {
        if isAnswered() { throw SystemError(text: "another radio already uses \(path)") }
        // What an ended one has left there. It is removed only if it is a socket.
        var info = stat()
        if lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
        // No connection is possible before `listen`, so the file's mode is set in time.
        let bound = try ControlPath.withAddress(of: path) { bind(descriptor, $0, $1) }
        guard bound == 0, chmod(path, 0o600) == 0, lstat(path, &file) == 0, Glibc.listen(descriptor, 32) == 0 else {
            throw SystemError("cannot listen on \(path)")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    private func isAnswered() -> Bool {
        let probe = ControlPath.makeSocket()
        defer { close(probe) }
        return (try? ControlPath.withAddress(of: path) { connect(probe, $0, $1) }) == 0
    }

    // MARK: Polling

    /// What to wait for.
    func addPolled(to polled: inout [pollfd]) {
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        for client in clients { polled.append(client.polled) }
    }

    /// Does what is possible. `polled` are those that ``addPolled(to:)`` has added.
    func handle(_ polled: ArraySlice<pollfd>) {
        for (client, entry) in zip(clients, polled.dropFirst()) where entry.revents != 0 {
            client.handle(entry.revents) { [director] line in director.answer(line) }
        }
        clients.removeAll { $0.isClosed }
        guard let first = polled.first, first.revents != 0 else { return }
        accept()
    }

    private func accept() {
        for _ in 0..<Self.maximumClients {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let client = RadioClient(connection)
            if clients.count < Self.maximumClients, Self.isOwn(connection) {
                clients.append(client)
            } else {
                client.send(RadioDirector.refuse("too many clients (limit \(Self.maximumClients))"))
            }
        }
    }

    /// Whether a process of this user, or of root, has connected.
    private static func isOwn(_ connection: Int32) -> Bool {
        // struct ucred: pid, uid, gid.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
            && (peer.user == geteuid() || peer.user == 0)
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
