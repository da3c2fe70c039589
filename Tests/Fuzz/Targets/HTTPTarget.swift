import DittojayUI
import Foundation

extension FuzzTarget {
    /// What comes at the port of `dittojay ui`.
    static let http = FuzzTarget(name: "http", weight: 100, generate: HTTPTexts.generate, run: HTTPTexts.run)
}

private enum HTTPTexts {
    private static let mutator = Mutator(
        corpus: [
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
            "GET /main.js?a=1 HTTP/1.0\r\nHost: localhost:8080\r\nSec-Fetch-Site: same-origin\r\n\r\n",
            "POST /requests HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 00\r\n"
                + "Content-Length: 2\r\n\r\n{}",
        ],
        words: Oddities.numbers + Oddities.texts + [
            "\r\n", "\r", "\n", "\r\n\r\n", ":", " ", "\t", "?", "HTTP/1.1", "Content-Length: ",
            "Content-Length: -1\r\n",
            "Transfer-Encoding: chunked\r\n", "Host: \r\n", "\u{0}", "é",
        ])

    static func generate(_ dice: inout Dice) -> [UInt8] { mutator.input(&dice) }

    static func run(_ bytes: [UInt8]) throws {
        var limits = HTTPLimits()
        (limits.head, limits.body) = (256, 64)
        var (whole, pieces) = (HTTPRequestParser(limits: limits), HTTPRequestParser(limits: limits))
        let outcome = whole.append(bytes)
        // However the bytes are cut on their way, the outcome is the same.
        var other = HTTPRequestParser.Outcome.incomplete
        for start in stride(from: 0, to: bytes.count, by: 7) where other == .incomplete {
            other = pieces.append(bytes[start..<min(start + 7, bytes.count)])
        }
        switch (outcome, other) {
        case (.request(let request), _):
            try expect(other == outcome, "the request depends on how it comes")
            try expect(request.body.count <= limits.body, "a content beyond the limit")
        // What is refused in the end may be refused earlier for another reason.
        case (.refused, .refused), (.incomplete, .incomplete): break
        default: throw BrokenPromise(description: "\(outcome) at once, \(other) in pieces")
        }
        if case .incomplete = outcome {
            try expect(bytes.count <= limits.head + 4 + limits.body, "more is kept than the limits allow")
        }
    }
}
