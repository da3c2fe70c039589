import Foundation
import Posix
import TestSupport
import Testing

@testable import DittojayUI

/// A server that answers with the path, or with a stream. To be stopped in the end.
// @unchecked: the server is only used on `queue`.
private final class Bench: @unchecked Sendable {
    let queue = DispatchQueue(label: "http")
    let journal = Journal()
    private(set) var streams: [HTTPConnection] = []
    private var server: HTTPServer?
    let port: UInt16

    init(_ change: (inout HTTPLimits) -> Void = { _ in }) throws {
        var limits = HTTPLimits()
        change(&limits)
        var handle: HTTPServer.Handler?
        let server = try HTTPServer(port: 0, queue: queue, limits: limits) { request, connection in
            handle?(request, connection)
        }
        self.server = server
        port = server.port
        handle = { [weak self] request, connection in self?.handle(request, connection) }
    }

    private func handle(_ request: HTTPRequest, _ connection: HTTPConnection) {
        guard request.path == "/stream" else { return connection.respond(HTTPResponse(.ok, request.path)) }
        connection.beginStream(HTTPResponse(.ok, body: []))
        connection.onClose = { [journal] in journal.note("closed") }
        streams.append(connection)
        journal.note("stream")
    }

    func stop() {
        queue.sync { server?.stop() }
    }
}

struct HTTPServerTests {
    private static let get = "GET /path HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func answersEachConnectionOnce() throws {
        let bench = try Bench()
        defer { bench.stop() }
        let response = try LoopbackClient.response(Self.get + Self.get, port: bench.port)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n") && response.hasSuffix("\r\n\r\n/path\n"))
        #expect(response.contains("Content-Length: 6\r\nConnection: close\r\n"))
        #expect(response.components(separatedBy: "HTTP/1.1").count == 2)
        #expect(try LoopbackClient.response("nonsense\r\n\r\n", port: bench.port).hasPrefix("HTTP/1.1 400 "))
    }

    @Test func aPortThatIsTakenIsReported() throws {
        let bench = try Bench()
        defer { bench.stop() }
        let error = #expect(throws: SystemError.self) {
            _ = try HTTPServer(port: bench.port, queue: bench.queue) { _, _ in }
        }
        #expect(error?.description.hasPrefix("cannot listen on port \(bench.port) of 127.0.0.1") == true)
    }

    @Test func aRequestThatDoesNotArriveIsGivenUp() throws {
        let bench = try Bench { $0.arrival = 0.05 }
        defer { bench.stop() }
        #expect(try LoopbackClient.response("GET / HT", port: bench.port).hasPrefix("HTTP/1.1 408 "))
    }

    @Test func connectionsThatAreOnlyHeldOpenMakeRoom() throws {
        let bench = try Bench { $0.connections = 3 }
        defer { bench.stop() }
        let held = try (0..<3).map { _ in try LoopbackClient(port: bench.port) }
        #expect(try LoopbackClient.response(Self.get, port: bench.port).hasPrefix("HTTP/1.1 200 "))
        #expect(held[0].receive() == nil, "the oldest one was closed")
        held[2].send(Self.get)
        #expect(held[2].receiveAll().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func streamsDoNotMakeRoom() async throws {
        let bench = try Bench { $0.connections = 2 }
        defer { bench.stop() }
        let streams = try (0..<2).map { _ in try LoopbackClient(port: bench.port) }
        for stream in streams { stream.send("GET /stream HTTP/1.1\r\n\r\n") }
        try await bench.journal.saw("stream", count: 2)
        #expect(try LoopbackClient.response(Self.get, port: bench.port) == "")
        bench.queue.sync { _ = bench.streams[0].send(Array("still here".utf8)) }
        #expect(streams[0].receive()?.hasPrefix("HTTP/1.1 200 ") == true)
    }

    @Test func aSlowReaderOfAStreamMissesWhatDoesNotFit() async throws {
        let bench = try Bench { $0.waiting = 10_000 }
        defer { bench.stop() }
        let client = try LoopbackClient(port: bench.port)
        client.send("GET /stream HTTP/1.1\r\n\r\n")
        try await bench.journal.saw("stream")
        let line = [UInt8](repeating: 65, count: 1000)
        // More than the system's own buffers take.
        let taken = bench.queue.sync { (0..<20_000).count { _ in bench.streams[0].send(line) } }
        #expect(taken < 20_000)
        #expect(bench.queue.sync { bench.streams[0].waiting } <= 10_000)
        bench.queue.sync { bench.streams[0].close() }
        let text = client.receiveAll()
        #expect(text.utf8.count < taken * line.count + 200)
        try await bench.journal.saw("closed")
    }
}
