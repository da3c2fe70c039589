import Foundation
import Posix
import TestSupport
import Testing

@testable import MainLoop

/// A listening socket that keeps what connects, and notes what becomes of it. To be stopped in the end.
// @unchecked: the connections are only touched on `queue`.
private final class Bench: @unchecked Sendable {
    let queue = DispatchQueue(label: "server")
    let journal = Journal()
    let path: String
    private let folder: TemporaryFolder
    private var listener: ListeningSocket?
    private(set) var connections: [ServerConnection] = []

    init(admitting users: Set<uid_t> = [geteuid()]) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/socket"
        listener = try Self.listen(at: path, admitting: users, queue: queue) { [weak self] connection in
            guard let self else { return }
            guard let connection else { return journal.note("no descriptor") }
            connections.append(connection)
            connection.onReadable = { self.read(connection) }
            connection.onClose = { self.journal.note("closed") }
            journal.note("connected")
        }
    }

    static func listen(
        at path: String, admitting users: Set<uid_t>, queue: DispatchQueue,
        onConnection: @escaping (ServerConnection?) -> Void
    ) throws -> ListeningSocket {
        ListeningSocket(
            try UnixListener(at: path), admitting: users, queue: queue, onConnection: onConnection)
    }

    private func read(_ connection: ServerConnection) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(connection.descriptor, &bytes, bytes.count)
        guard count > 0 else { return connection.close() }
        journal.note(String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Acts on the connection that was the first to come.
    func first<Result>(_ body: (ServerConnection) -> Result) throws -> Result {
        body(try #require(queue.sync { connections.first }))
    }

    func stop() {
        queue.sync {
            listener?.stop()
            for connection in connections { connection.close() }
        }
    }
}

/// A program at the other end.
private final class Program {
    let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = try UnixSocket.withAddress(of: path) { connect(descriptor, $0, $1) }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// Whether the server has closed the connection, in due time.
    func sawEnd() -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&poller, 1, 20_000) == 1 && read(descriptor, &byte, 1) <= 0
    }
}

@Suite(.timeLimit(.minutes(5))) struct ListeningSocketTests {
    @Test func `a program is let in and known by its process`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let program = try Program(bench.path)
        program.send("hello")
        try await bench.journal.saw("hello")
        #expect(try bench.first(\.process) == getpid())
    }

    @Test func `a program of a user that is not admitted is turned away`() throws {
        let bench = try Bench(admitting: [geteuid() + 1])
        defer { bench.stop() }
        #expect(try Program(bench.path).sawEnd())
        #expect(bench.journal.lines.isEmpty)
    }

    @Test func `more programs than are accepted in one turn are all accepted`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let programs = try bench.queue.sync { try (0..<100).map { _ in try Program(bench.path) } }
        try await bench.journal.saw("connected", count: programs.count)
    }

    @Test func `a shortage of descriptors is reported, and what waits is accepted after it`() async {
        // In a process of its own, as no other test could open anything meanwhile.
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let first = try Program(bench.path)
            try await bench.journal.saw("connected")
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let late = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var copies: [Int32] = []
            while case let copy = dup(first.descriptor), copy >= 0 { copies.append(copy) }
            let result = try UnixSocket.withAddress(of: bench.path) { connect(late, $0, $1) }
            try #require(result == 0)
            // Again and again, with pauses: the queue has other work.
            try await bench.journal.saw("no descriptor", count: 3)
            try #require(bench.journal.lines.count { $0 == "no descriptor" } < 10)
            for copy in copies { close(copy) }
            try await bench.journal.saw("connected", count: 2)
        }
    }

    @Test func `the file is this user's only and removed in the end`() throws {
        let bench = try Bench()
        defer { bench.stop() }
        var info = stat()
        #expect(lstat(bench.path, &info) == 0 && info.st_mode & 0o777 == 0o600)
        bench.stop()
        #expect(access(bench.path, F_OK) != 0)
        bench.stop()
    }

    @Test func `a file that has taken the socket's place is left alone`() throws {
        let bench = try Bench()
        defer { bench.stop() }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: bench.path + ".new"))
        #expect(rename(bench.path + ".new", bench.path) == 0)
        bench.stop()
        #expect(FileManager.default.contents(atPath: bench.path) == Data("mine".utf8))
    }
}

@Suite(.timeLimit(.minutes(5))) struct ServerConnectionTests {
    @Test func `an end by the program is reported once`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        var program: Program? = try Program(bench.path)
        program?.send("hello")
        try await bench.journal.saw("hello")
        program = nil
        try await bench.journal.saw("closed")
        try bench.first { connection in
            bench.queue.sync { connection.close() }
            #expect(!connection.isOpen)
        }
        #expect(bench.journal.lines == ["connected", "hello", "closed"])
    }

    @Test func `an end by the server is reported once, and the program sees it`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let program = try Program(bench.path)
        try await bench.journal.saw("connected")
        try bench.first { connection in
            bench.queue.sync {
                connection.close()
                connection.close()
            }
        }
        #expect(program.sawEnd())
        program.send("too late")
        bench.queue.sync {}
        #expect(bench.journal.lines == ["connected", "closed"])
    }

    @Test func `what arrives while reading is suspended waits`() async throws {
        let (bench, other) = (try Bench(), try Bench())
        defer { for bench in [bench, other] { bench.stop() } }
        let program = try Program(bench.path)
        try await bench.journal.saw("connected")
        try bench.first { connection in bench.queue.sync { connection.suspendReading() } }
        program.send("hello")
        // The loop has had its turn when it has reported what came later.
        let later = try Program(other.path)
        later.send("later")
        try await other.journal.saw("later")
        bench.queue.sync {}
        #expect(bench.journal.lines == ["connected"])
        try bench.first { connection in bench.queue.sync { connection.resumeReading() } }
        try await bench.journal.saw("hello")
    }

    @Test func `a program that does not read does not block the server, and its end is seen`() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        var program: Program? = try Program(bench.path)
        try await bench.journal.saw("connected")
        let error = try bench.first { connection in
            bench.queue.sync {
                let bytes = [UInt8](repeating: 0, count: 4096)
                while send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
                return errno
            }
        }
        #expect(error == EAGAIN && program != nil)
        program = nil
        try await bench.journal.saw("closed")
    }
}
