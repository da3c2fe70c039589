import Testing

@testable import DittojayUI

struct AccessPolicyTests {
    private let token = AccessToken()

    private func refusal(isOpen: Bool = false, _ change: (inout [String: String]) -> Void = { _ in }) -> HTTPStatus? {
        var fields = ["host": "127.0.0.1:8080", "authorization": "Bearer \(token.text)"]
        change(&fields)
        return AccessPolicy(token: token, port: 8080)
            .refusal(of: HTTPRequest(method: "GET", path: "/", fields: fields), isOpen: isOpen)
    }

    @Test func letsThePageItselfIn() {
        #expect(refusal() == nil)
        #expect(refusal { $0["host"] = "localhost:8080" } == nil)
        #expect(refusal { $0["origin"] = "http://127.0.0.1:8080" } == nil)
        #expect(refusal { $0["sec-fetch-site"] = "same-origin" } == nil)
        #expect(refusal(isOpen: true) { $0["authorization"] = nil } == nil)
        #expect(
            refusal(isOpen: true) { ($0["sec-fetch-site"], $0["sec-fetch-mode"]) = ("cross-site", "navigate") } == nil)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"])
    func atTheUsualPortBrowsersLeaveItOut(_ host: String) {
        let request = HTTPRequest(method: "GET", path: "/", fields: ["host": host, "origin": "http://\(host)"])
        #expect(AccessPolicy(token: token, port: 80).refusal(of: request, isOpen: true) == nil)
        #expect(AccessPolicy(token: token, port: 8080).refusal(of: request, isOpen: true) == .misdirectedRequest)
    }

    @Test(arguments: [nil, "", "127.0.0.1", "127.0.0.1:8081", "localhost", "evil.example:8080", "127.0.0.1:8080."])
    func otherHostsAreRefused(_ host: String?) {
        #expect(refusal { $0["host"] = host } == .misdirectedRequest)
        #expect(refusal(isOpen: true) { $0["host"] = host } == .misdirectedRequest)
    }

    @Test(arguments: [
        "", "null", "http://evil.example", "http://localhost:8080", "https://127.0.0.1:8080", "http://127.0.0.1",
    ])
    func otherOriginsAreRefused(_ origin: String) {
        #expect(refusal { $0["origin"] = origin } == .forbidden)
        #expect(refusal(isOpen: true) { $0["origin"] = origin } == .forbidden)
    }

    @Test(arguments: ["same-site", "cross-site", "none", ""])
    func requestsFromElsewhereAreRefused(_ site: String) {
        #expect(refusal { $0["sec-fetch-site"] = site } == .forbidden)
        #expect(refusal { ($0["sec-fetch-site"], $0["sec-fetch-mode"]) = (site, "navigate") } == .forbidden)
        let mode = "no-cors"
        #expect(refusal(isOpen: true) { ($0["sec-fetch-site"], $0["sec-fetch-mode"]) = (site, mode) } == .forbidden)
    }

    @Test func anotherTokenIsRefused() {
        let others = [
            nil, "", token.text, "Bearer ", "Bearer \(token.text)0", "Bearer \(token.text.dropLast())",
            "Bearer \(AccessToken().text)", "bearer \(token.text)", "Basic \(token.text)",
        ]
        for other in others { #expect(refusal { $0["authorization"] = other } == .unauthorized) }
    }

    @Test func tokensDiffer() {
        let tokens = Set((0..<100).map { _ in AccessToken().text })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.utf8.count == 64 })
    }
}
