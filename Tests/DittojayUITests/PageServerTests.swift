import Foundation
import TestSupport
import Testing

@testable import DittojayUI

/// A page's server without a dittojay. To be stopped in the end.
// @unchecked: the server is only used on `queue`.
private final class Bench: @unchecked Sendable {
    let queue = DispatchQueue(label: "page")
    let token = AccessToken()
    let port: UInt16
    private let server: PageServer

    init() throws {
        let server = PageServer(
            .init(sockets: ["/nowhere/dittojay.sock"], radio: "/nowhere/radio.sock"), token: token, queue: queue)
        self.server = server
        let address = try queue.sync { try server.start(port: 0) }
        port = try #require(URL(string: address)?.port.map(UInt16.init))
        #expect(address == "http://127.0.0.1:\(port)/#\(token.text)")
    }

    func request(_ line: String, token given: String? = nil, body: String = "") -> String {
        var head = "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
        if let given { head += "Authorization: Bearer \(given)\r\n" }
        return head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }

    func response(_ line: String, token given: String? = nil, body: String = "") throws -> String {
        try LoopbackClient.response(request(line, token: given, body: body), port: port)
    }

    func stop() {
        queue.sync { server.stop() }
    }
}

struct PageServerTests {
    @Test(arguments: [
        ("/", "text/html"), ("/style.css", "text/css"), ("/controls.css", "text/css"), ("/icon.svg", "image/svg"),
        ("/main.js", "text/javascript"), ("/map.js", "text/javascript"),
    ])
    func servesItsFilesSafely(_ path: String, _ type: String) throws {
        let bench = try Bench()
        defer { bench.stop() }
        let response = try bench.response("GET \(path)")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: \(type)"))
        for field in [
            "Content-Security-Policy: default-src 'none'; script-src 'self';", "X-Content-Type-Options: nosniff",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Frame-Options: DENY",
        ] {
            #expect(response.contains("\r\n\(field)"))
        }
        #expect(!response.contains(bench.token.text))
    }

    /// The scripts import each other, and the page names its style sheets: all of them are there.
    @Test func noFileIsMissing() throws {
        let bench = try Bench()
        defer { bench.stop() }
        var waiting: Set = ["/"]
        var seen: Set<String> = []
        while let path = waiting.popFirst() {
            seen.insert(path)
            let response = try bench.response("GET \(path)")
            #expect(response.hasPrefix("HTTP/1.1 200 "), "\(path)")
            let names = response.matches(of: /(?:from "\.\/|src="|href=")([a-z-]+\.[a-z]+)"/).map { "/\($0.1)" }
            waiting.formUnion(Set(names).subtracting(seen))
        }
        #expect(seen.count > 12)
    }

    @Test func othersFilesAndMethodsAreRefused() throws {
        let bench = try Bench()
        defer { bench.stop() }
        for path in ["/../etc/passwd", "/%2e%2e/etc/passwd", "/main.js/", "/index.html"] {
            #expect(try bench.response("GET \(path)").hasPrefix("HTTP/1.1 404 "))
        }
        #expect(try bench.response("PUT /").hasPrefix("HTTP/1.1 405 "))
        #expect(try bench.response("GET /api/command", token: bench.token.text).hasPrefix("HTTP/1.1 405 "))
        #expect(try bench.response("GET /api/other", token: bench.token.text).hasPrefix("HTTP/1.1 404 "))
        #expect(try bench.response("GET /api/other").hasPrefix("HTTP/1.1 401 "))
    }

    @Test func theStreamTakesTheToken() throws {
        let bench = try Bench()
        defer { bench.stop() }
        #expect(try bench.response("GET /api/stream").hasPrefix("HTTP/1.1 401 "))
        #expect(try bench.response("GET /api/stream", token: AccessToken().text).hasPrefix("HTTP/1.1 401 "))
        var streams: [LoopbackClient] = []
        for _ in 0..<PageServer.maximumStreams {
            let client = try LoopbackClient(port: bench.port)
            client.send(bench.request("GET /api/stream", token: bench.token.text))
            #expect(client.receive()?.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson") == true)
            streams.append(client)
        }
        #expect(try bench.response("GET /api/stream", token: bench.token.text).hasPrefix("HTTP/1.1 503 "))
        streams.removeLast()
        // The server hears of its end on its queue, before or after the next request.
        var response = ""
        while !response.hasPrefix("HTTP/1.1 200 ") {
            let client = try LoopbackClient(port: bench.port)
            client.send(bench.request("GET /api/stream", token: bench.token.text))
            response = try #require(client.receive())
        }
    }

    @Test(arguments: [
        ("", "400"), ("[]", "400"), (#"{"request":{}}"#, "400"), (#"{"request":{"command":"chirp"}}"#, "200"),
        (#"{"peripheral":"0/","request":{"command":"chirp"}}"#, "200"),
        (#"{"peripheral":"0/","request":{"command":"quit"}}"#, "200"),
        (#"{"radio":true,"request":{"command":"record","file":"/tmp/x"}}"#, "200"),
        (#"{"radio":true,"request":{"command":"move"}}"#, "200"),
    ])
    func whatThePageCannotAskForIsRefused(_ body: String, _ status: String) throws {
        let bench = try Bench()
        defer { bench.stop() }
        let response = try bench.response("POST /api/command", token: bench.token.text, body: body)
        #expect(response.hasPrefix("HTTP/1.1 \(status) "))
        if status == "200" { #expect(response.contains("\r\n\r\n{\"ok\":false,\"error\":")) }
    }
}
