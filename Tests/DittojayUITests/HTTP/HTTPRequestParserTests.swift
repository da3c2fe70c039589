import DittojayUI
import Testing

struct HTTPRequestParserTests {
    private func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> HTTPRequestParser.Outcome {
        var parser = HTTPRequestParser(limits: limits)
        return parser.append(text.utf8)
    }

    @Test func readsARequestInPieces() throws {
        let text = "POST /api/command?a=b HTTP/1.1\r\nHost: x:1\r\ncontent-length:  4 \r\n\r\nbodyXX"
        var parser = HTTPRequestParser(limits: HTTPLimits())
        var outcome = HTTPRequestParser.Outcome.incomplete
        for byte in text.utf8.dropLast(2) {
            #expect(outcome == .incomplete)
            outcome = parser.append([byte])
        }
        guard case .request(let request) = outcome else {
            Issue.record("no request: \(outcome)")
            return
        }
        #expect(request.method == "POST" && request.path == "/api/command" && request.query == "a=b")
        #expect(request["host"] == "x:1" && request["content-length"] == "4" && request["origin"] == nil)
        #expect(request.body == Array("body".utf8))
        #expect(parse(text) == outcome, "what follows is ignored")
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", HTTPStatus.badRequest), ("GET  / HTTP/1.1\r\n\r\n", .badRequest),
        ("get / HTTP/1.1\r\n\r\n", .badRequest), ("GET http://x/ HTTP/1.1\r\n\r\n", .badRequest),
        ("GET / HTTP/2\r\n\r\n", .versionNotSupported), ("GET / HTTP/1.1\r\nHost\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\n folded\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\nHost: a\n\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", .badRequest),
        ("GET /ä HTTP/1.1\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthRequired),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\n", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 8193\r\n\r\n", .contentTooLarge),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", .contentTooLarge),
    ])
    func refusesWhatIsNoPlainRequest(_ text: String, _ status: HTTPStatus) {
        #expect(parse(text) == .refused(status))
    }

    @Test func theHeadHasALimit() {
        let long = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 8192)
        #expect(parse(long) == .refused(.headTooLong))
        #expect(parse(long + "\r\n\r\n") == .refused(.headTooLong))
        var limits = HTTPLimits()
        limits.head = 20000
        #expect(parse(long, limits: limits) == .incomplete)
    }

    /// In the middle of the empty line nobody knows yet that the head ends in time.
    @Test(arguments: [(0, true), (1, false)])
    func theLimitIsTheSameForARequestInPieces(excess: Int, isTaken: Bool) {
        let head = "GET / HTTP/1.1\r\nHost: a"
        var limits = HTTPLimits()
        limits.head = head.utf8.count - excess
        let whole = parse(head + "\r\n\r\n", limits: limits)
        var parser = HTTPRequestParser(limits: limits)
        var outcome = HTTPRequestParser.Outcome.incomplete
        for byte in (head + "\r\n\r\n").utf8 where outcome == .incomplete { outcome = parser.append([byte]) }
        #expect(outcome == whole)
        #expect((whole != .refused(.headTooLong)) == isTaken)
    }
}
