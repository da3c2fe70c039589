import Foundation
import Posix
import Synchronization
import Testing

@testable import VirtualRadioCommand

/// Hosts that connect to the program by a socket.
@Suite final class HostSocketTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let loop: RadioLoop
    private let reset: [UInt8] = [1, 3, 0x0C, 0]
    private let isReset: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]

    init() throws {
        let words = ["--h4", path, "--h4", "tcp:0", "--socket", path + "-commands", "--controller", "4.2"]
        loop = try RadioLoop(try Arguments(words))
    }

    deinit {
        unlink(path)
        unlink(path + "-commands")
    }

    /// How a host connects.
    enum Way: CaseIterable {
        case unix, tcp
    }

    private func connect(_ way: Way) throws -> ConnectedHost {
        switch way {
        case .unix: try ConnectedHost(path, loop)
        case .tcp: try ConnectedHost(try #require(loop.listeners.last?.address), loop)
        }
    }

    @Test(arguments: [[Way.unix, .unix], [.tcp, .tcp], [.unix, .tcp], [.tcp, .unix]])
    func `each host has a controller of its own, and they hear each other`(ways: [Way]) throws {
        let first = try connect(ways[0])
        let second = try connect(ways[1])
        for (number, client) in [first, second].enumerated() {
            client.send(reset + [1, 9, 0x10, 0])
            let number = UInt8(number)
            #expect(try client.receive() == isReset + [4, 0x0E, 10, 1, 9, 0x10, 0, number, 0, number, 1, 0xAA, 0])
        }
        first.send([1, 0x0A, 0x20, 1, 1])
        #expect(try first.receive() == [4, 0x0E, 4, 1, 0x0A, 0x20, 0])
        second.send([1, 1, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8))
        #expect(try second.receive() == [4, 0x0E, 4, 1, 1, 0x0C, 0])
        second.send([1, 0x0C, 0x20, 2, 1, 0])
        #expect(try second.receive() == [4, 0x0E, 4, 1, 0x0C, 0x20, 0])
        #expect(try second.receive().prefix(6) == [4, 0x3E, 12, 2, 1, 0])
    }

    @Test(arguments: Way.allCases) func `a packet may arrive in pieces`(way: Way) throws {
        let client = try connect(way)
        for byte in reset { client.send([byte]) }
        #expect(try client.receive() == isReset)
    }

    @Test(arguments: Way.allCases)
    func `a stream with something else in it ends that host's connection alone`(way: Way) throws {
        let good = try connect(way)
        let bad = try connect(way)
        bad.send([0x42])
        #expect(try bad.receive() == [])
        good.send(reset)
        #expect(try good.receive() == isReset)
        let next = try connect(way)
        next.send([1, 9, 0x10, 0])
        #expect(try next.receive()[7...] == [1, 0, 1, 1, 0xAA, 0], "it has the place that is free again")
    }

    @Test func `a host that never reads is disconnected, and may come back`() throws {
        let client = try connect(.unix)
        let commands = [[UInt8]](repeating: [1, 2, 0x10, 0], count: 500).flatMap { $0 }
        // Each answer has 71 bytes.
        for _ in 0..<60 where client.isConnected { client.send(commands) }
        #expect(!client.isConnected)
        let next = try connect(.unix)
        next.send([1, 9, 0x10, 0])
        #expect(try next.receive()[7...] == [0, 0, 0, 1, 0xAA, 0])
    }

    @Test func `the socket is for this user alone, and replaces that of a program that has ended`() throws {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let error = #expect(throws: SystemError.self) { try HostListener(path) }
        #expect(try #require(error).description == "another program listens at \(path)")
        let left = path + "-left"
        defer { unlink(left) }
        do { _ = try HostListener(left) }
        do { _ = try HostListener(left) }
        unlink(left)
        #expect(FileManager.default.createFile(atPath: left, contents: nil))
        #expect(throws: SystemError.self) { try HostListener(left) }
        #expect(throws: SystemError.self) { try HostListener(String(repeating: "a", count: 200)) }
    }

    /// Files that other threads make at the same time keep the mode that they are made with.
    @Test func `making a socket leaves the process's mask of modes alone`() throws {
        let folder = path + "-folders"
        mkdir(folder, 0o700)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = path + "-other"
        defer {
            unlink(place)
            unlink(place + "-commands")
        }
        let isDone = Atomic(false)
        let maker = Thread {
            while !isDone.load(ordering: .acquiring) {
                _ = try? RadioLoop(try Arguments(["--h4", place, "--socket", place + "-commands"]))
            }
        }
        maker.start()
        defer { isDone.store(true, ordering: .releasing) }
        for number in 0..<500 {
            mkdir("\(folder)/\(number)", 0o700)
            var info = stat()
            try #require(lstat("\(folder)/\(number)", &info) == 0 && info.st_mode & 0o777 == 0o700)
        }
    }

    /// An object that could not be made is released as any other, which closes its descriptor.
    @Test func `making a socket that fails closes no descriptor of others`() throws {
        let isDone = Atomic(false)
        let taken = path
        let maker = Thread {
            while !isDone.load(ordering: .acquiring) { _ = try? HostListener(taken) }
        }
        maker.start()
        defer { isDone.store(true, ordering: .releasing) }
        for _ in 0..<20_000 {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0 && fcntl(descriptor, F_GETFD) >= 0 && close(descriptor) == 0)
        }
    }

    /// A controller of the kernel that the kernel never asks anything.
    private final class SilentController: HCITransport {
        let descriptor: Int32
        let isWaitingForRoom = false
        let isOver = false
        private let other: Int32

        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (descriptor, other) = (ends[0], ends[1])
        }

        deinit {
            close(descriptor)
            close(other)
        }

        func read(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {}
        func write(_ packet: UnsafeRawBufferPointer) {}
        func writeWaiting() {}
    }

    @Test func `hosts that connect while the kernel's controllers are made come after them, with one name each`()
        throws
    {
        let place = path + "-early"
        var hosts: [Int32] = []
        defer { for host in hosts { close(host) } }
        let words = ["--controllers", "2", "--h4", place, "--socket", place + "-commands"]
        let loop = try RadioLoop(try Arguments(words)) { () throws(SystemError) in
            hosts.append(try UnixSocket.connected(to: place))
            return SilentController()
        }
        let client = try UnixSocket.connected(to: place + "-commands", blocks: false)
        defer { close(client) }
        let request = #"{"command":"status"}"# + "\n"
        #expect(write(client, request, request.utf8.count) == request.utf8.count)
        var reply = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // Something is ready until it has answered.
        while reply.last != 0x0A {
            loop.turn()
            let count = read(client, &buffer, buffer.count)
            if count > 0 { reply += buffer[..<count] }
        }
        let status = try JSONDecoder().decode(Status.self, from: reply)
        #expect(status.devices.map(\.name) == ["hci0", "hci1", "host2", "host3"])
        #expect(status.devices.map(\.address) == (0..<4).map { "00:AA:01:0\($0):00:0\($0)" })
    }

    private struct Status: Decodable {
        struct Device: Decodable {
            let name: String
            let address: String
        }

        let devices: [Device]
    }

    @Test func `who waits for a file descriptor keeps nobody busy, and is let in when there is one`() async {
        // In a process of its own, as no other test could open anything meanwhile.
        await #expect(processExitsWith: .success) {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            let loop = try RadioLoop(try Arguments(["--h4", path, "--socket", path + "-commands"]))
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let programs = (0..<2).map { _ in socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
            var copies: [Int32] = []
            while case let copy = dup(programs[0]), copy >= 0 { copies.append(copy) }
            let commands: [[UInt8]] = [[1, 3, 0x0C, 0], Array("{\"command\":\"reset\"}\n".utf8)]
            for (number, place) in [path, path + "-commands"].enumerated() {
                let result = try UnixSocket.withAddress(of: place) { Glibc.connect(programs[number], $0, $1) }
                try #require(result == 0)
                try #require(write(programs[number], commands[number], commands[number].count) > 0)
                loop.turn()
                let began = ContinuousClock.now
                loop.turn()
                try #require(ContinuousClock.now - began > .milliseconds(500))
            }
            for copy in copies { close(copy) }
            for program in programs {
                var polled = pollfd(fd: program, events: Int16(POLLIN), revents: 0)
                while poll(&polled, 1, 0) == 0 { loop.turn() }
                try #require(polled.revents & Int16(POLLIN) != 0)
            }
            unlink(path)
            unlink(path + "-commands")
        }
    }

    @Test func `a host that listens itself has a controller`() throws {
        let place = path + "-host"
        defer {
            unlink(place)
            unlink(place + "-commands")
        }
        let host = try HostListener(place)
        let loop = try RadioLoop(try Arguments(["--port", place, "--socket", place + "-commands"]))
        let port = try #require(host.accept())
        reset.withUnsafeBytes { port.write($0) }
        port.writeWaiting()
        loop.turn()
        var answer = [UInt8](repeating: 0, count: 100)
        let count = read(port.descriptor, &answer, answer.count)
        #expect(Array(answer.prefix(max(count, 0))) == isReset)
    }

    @Test func `a port that is not there is reported`() throws {
        let error = #expect(throws: SystemError.self) { try RadioLoop(try Arguments(["--port", "/nowhere/port"])) }
        #expect(try #require(error).description.hasPrefix("cannot open /nowhere/port: "))
    }
}
