import Foundation
import Posix
import RadioControl
import Testing
import VirtualRadio

@testable import VirtualRadioCommand

/// The control socket, with clients that behave and others.
@Suite struct RadioServerTests {
    private final class Stage {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let path: String
        let radio = Radio(seed: 1)
        let director: RadioDirector
        let server: RadioServer

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            path = folder + "/radio.sock"
            director = RadioDirector(radio, seed: 1)
            for number in 0..<2 {
                let address = DeviceAddress((0, 0, 0, 0, 0, UInt8(number)))
                director.add(controller: "hci\(number)", radio.add(.v5_3, address: address) { _ in })
            }
            server = try RadioServer(director, at: path)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Lets the server do what there is to do.
        func turn() {
            for _ in 0..<4 {
                var polled: [pollfd] = []
                server.addPolled(to: &polled)
                guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
                server.handle(polled[...])
            }
        }

        func connect() throws -> Client {
            let client = try Client(path)
            turn()
            return client
        }
    }

    private final class Client {
        let descriptor: Int32

        init(_ path: String) throws {
            descriptor = try UnixSocket.connected(to: path, blocks: false)
        }

        deinit {
            close(descriptor)
        }

        func send(_ text: String) {
            signal(SIGPIPE, SIG_IGN)
            _ = write(descriptor, text, text.utf8.count)
        }

        /// What has come; `nil` at the end.
        func take() -> String? {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &buffer, buffer.count)
            return count == 0 || count < 0 && errno != EAGAIN
                ? nil : String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private let move = #"{"command":"move","device":"hci1","to":["5 m","0 m"]}"# + "\n"

    @Test func `requests are answered in their order, however they are cut`() throws {
        let stage = try Stage()
        var info = stat()
        #expect(lstat(stage.path, &info) == 0 && info.st_mode & 0o777 == 0o600)
        let client = try stage.connect()
        client.send(move + "\r\n{\"command\"")
        stage.turn()
        client.send(":\"mov\"}\n")
        stage.turn()
        let lines = try #require(client.take()).split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "{\"ok\":true}" && lines[1].contains("did you mean \\\"move\\\""))
        #expect(stage.radio.position(of: 1) == Position(x: 5, y: 0))
    }

    @Test func `those who follow get what has been, and what happens`() throws {
        let stage = try Stage()
        let first = try stage.connect()
        first.send(move)
        stage.turn()
        let second = try stage.connect()
        second.send("{\"command\":\"events\"}\n")
        stage.turn()
        #expect(try #require(second.take()).split(separator: "\n").count == 2)
        first.send(move + move)
        stage.turn()
        #expect(try #require(second.take()).split(separator: "\n").count == 2)
        #expect(try #require(first.take()).contains("event") == false)
    }

    @Test func `a client that does not read is closed, and holds up nobody`() throws {
        let stage = try Stage()
        let mute = try stage.connect()
        mute.send("{\"command\":\"events\"}\n")
        stage.turn()
        let other = try stage.connect()
        for _ in 0..<10_000 {
            other.send(move)
            stage.turn()
            #expect(other.take() == "{\"ok\":true}\n")
        }
        var total = 0
        while let text = mute.take(), !text.isEmpty { total += text.utf8.count }
        #expect(total > 0 && total < 1 << 20)
        stage.turn()
        #expect(mute.take() == nil)
    }

    @Test func `a request that is too long is refused, and the next one is taken`() throws {
        let stage = try Stage()
        let client = try stage.connect()
        let part = String(repeating: "x", count: 1 << 14)
        for _ in 0..<70 {
            client.send(part)
            stage.turn()
        }
        client.send("\n" + move)
        stage.turn()
        let lines = try #require(client.take()).split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].contains("request too long (limit 1048576 bytes)")
                && lines[1] == "{\"ok\":true}")
    }

    @Test func `there is an end to clients, and those that leave make room`() throws {
        let stage = try Stage()
        var clients: [Client] = []
        for _ in 0..<RadioServer.maximumClients { clients.append(try stage.connect()) }
        let late = try stage.connect()
        #expect(try #require(late.take()).contains("too many clients (limit 32)"))
        #expect(late.take() == nil)
        clients.removeLast()
        stage.turn()
        let next = try stage.connect()
        next.send(move)
        stage.turn()
        #expect(next.take() == "{\"ok\":true}\n")
    }

    @Test func `one radio has a socket, and a file of an ended one is replaced`() throws {
        let stage = try Stage()
        let error = #expect(throws: SystemError.self) { try RadioServer(stage.director, at: stage.path) }
        #expect(try #require(error).description.contains("another program"))
        stage.server.stop()
        #expect(!FileManager.default.fileExists(atPath: stage.path))
        let left = try UnixSocket.make()
        #expect(try UnixSocket.withAddress(of: stage.path) { bind(left, $0, $1) } == 0)
        close(left)
        let server = try RadioServer(stage.director, at: stage.path)
        #expect(FileManager.default.fileExists(atPath: stage.path))
        server.stop()
        #expect(throws: SystemError.self) { try RadioServer(stage.director, at: "/nowhere/x.sock") }
        #expect(throws: SystemError.self) {
            try RadioServer(stage.director, at: "/tmp/" + String(repeating: "x", count: 200))
        }
    }
}
