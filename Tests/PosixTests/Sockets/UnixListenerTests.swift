import Foundation
import Posix
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct UnixListenerTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/socket" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Closes the descriptor as well, which `stop` leaves to whoever waits for connections.
    private func end(_ listener: UnixListener) {
        listener.stop()
        close(listener.descriptor)
    }

    @Test func `a program that connects is known by its process and user`() throws {
        let listener = try UnixListener(at: path)
        defer { end(listener) }
        #expect(listener.accept() == nil && errno == EAGAIN)
        let program = try UnixSocket.connected(to: path)
        defer { close(program) }
        let connection = try #require(listener.accept())
        defer { close(connection.descriptor) }
        #expect((connection.process, connection.user) == (getpid(), geteuid()))
        #expect(fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func `the file is this user's only, and nothing is left in the end`() throws {
        let listener = try UnixListener(at: path)
        var info = stat()
        #expect(lstat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
        end(listener)
        #expect(try fileNames() == [])
        listener.stop()
    }

    @Test func `a second one is refused, and the first goes on`() throws {
        let listener = try UnixListener(at: path)
        defer { end(listener) }
        let failure = #expect(throws: SystemError.self) { try UnixListener(at: path) }
        #expect(failure == SystemError(text: "another program listens at \(path)", code: EADDRINUSE))
        close(try UnixSocket.connected(to: path))
    }

    /// What removes a file that nobody listens at must not remove that of one that has just begun.
    @Test func `of many that start together one listens`() throws {
        for _ in 0..<20 {
            let stale = try UnixSocket.make()
            try #require(try UnixSocket.withAddress(of: path) { bind(stale, $0, $1) } == 0)
            close(stale)
            let slots = Slots(count: 8)
            DispatchQueue.concurrentPerform(iterations: 8) { [path] in slots.listen($0, path) }
            let listeners = slots.listeners.compactMap(\.self)
            #expect(listeners.count == 1)
            close(try UnixSocket.connected(to: path))
            for listener in listeners { end(listener) }
        }
    }

    @Test(arguments: [false, true]) func `what a killed one has left is replaced`(hasLock: Bool) throws {
        let left = try UnixSocket.make()
        try #require(try UnixSocket.withAddress(of: path) { bind(left, $0, $1) } == 0)
        close(left)
        if hasLock { try Data().write(to: URL(fileURLWithPath: path + ".lock")) }
        let listener = try UnixListener(at: path)
        close(try UnixSocket.connected(to: path))
        end(listener)
        #expect(try fileNames() == [])
    }

    /// A program that is being started has the descriptors of the one that starts it until it runs.
    @Test(arguments: [false, true]) func `one that was killed while it started a program is replaced`(
        isReaped: Bool
    ) throws {
        let killed = """
            import fcntl, os, socket, sys, time
            lock = open(sys.argv[1] + ".lock", "w")
            fcntl.flock(lock, fcntl.LOCK_EX)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen()
            if os.fork() == 0:
                time.sleep(0.3)
            os._exit(0)
            """
        let program = try LaunchedProgram(["python3", "-c", killed, path])
        if isReaped {
            program.reap()
        } else {
            var info = siginfo_t()
            try #require(waitid(P_PID, id_t(program.identifier), &info, WEXITED | WNOWAIT) == 0)
        }
        defer { if !isReaped { program.reap() } }
        let listener = try UnixListener(at: path)
        close(try UnixSocket.connected(to: path))
        end(listener)
        #expect(try fileNames() == [])
    }

    /// Its descriptors are closed one after the other.
    @Test func `one that no longer listens and still has the lock is waited for`() throws {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { close(lock) }
        end(try UnixListener(at: path))
        #expect(try fileNames() == [])
    }

    @Test(arguments: [SOCK_STREAM, SOCK_SEQPACKET])
    func `a program that does not lock is not replaced`(kind: __socket_type) throws {
        let other = try UnixSocket.make(kind)
        defer { close(other) }
        try #require(try UnixSocket.withAddress(of: path) { bind(other, $0, $1) } == 0)
        try #require(listen(other, 0) == 0)
        // The second time its queue is full.
        for _ in 0..<2 {
            let failure = #expect(throws: SystemError.self) { try UnixListener(at: path) }
            #expect(failure?.description == "another program listens at \(path)")
        }
    }

    @Test(arguments: [
        ("taken", "% exists and is not a socket"),
        ("none/socket", "cannot create %.lock: No such file or directory"),
        (String(repeating: "x", count: 200), "socket path too long (limit 107 bytes): %"),
    ])
    func `what keeps it from listening is said`(name: String, sentence: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/taken"))
        let path = folder.path + "/" + name
        let failure = #expect(throws: SystemError.self) { try UnixListener(at: path) }
        #expect(failure?.description == sentence.replacing("%", with: path))
        #expect(try fileNames() == ["taken"])
    }

    @Test func `a file that has taken the socket's place is left alone`() throws {
        let listener = try UnixListener(at: path)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        try #require(rename(path + ".new", path) == 0)
        end(listener)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func `the longest path works`() throws {
        let path =
            folder.path + "/" + String(repeating: "x", count: UnixSocket.longestPath - folder.path.utf8.count - 1)
        let listener = try UnixListener(at: path)
        close(try UnixSocket.connected(to: path))
        end(listener)
    }
}

/// A place for each of several threads.
// @unchecked: each thread has its own place.
private final class Slots: @unchecked Sendable {
    private let places: UnsafeMutableBufferPointer<UnixListener?>

    init(count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: nil)
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    func listen(_ place: Int, _ path: String) { places[place] = try? UnixListener(at: path) }

    var listeners: [UnixListener?] { Array(places) }
}
